import { expect } from 'chai';
import { casesOf } from '../src/contract/run.js';
import type { ContractCase, HostUnderTest } from '../src/index.js';
import { AWA, FERMEE, KOFI, PASSWORD } from '../../test/helpers/accounts.js';

/** Describes a host with the accounts of `accountStore()` to `authContract`. */
export const HOST = {
  merchant: { email: AWA.email, password: PASSWORD, referencl: AWA.marchand.referencl },
  otherMerchant: { email: KOFI.email, password: PASSWORD, referencl: KOFI.marchand.referencl },
  disabledMerchant: { email: FERMEE.email, password: PASSWORD },
  transactions: { body: (refercence_cl: string | undefined) => ({ refercence_cl, amount: 1500, currency: 'XOF' }) },
} satisfies Partial<HostUnderTest>;

/** For a host without resources. */
export const NO_ROWS = { leaveOut: { 'each route behind a guard is covered, swept, refused or left out': 'No rows.' } };

/** Runs a case. Returns the message of its failure, `left out: ` and the reason, or `passed`. */
export async function outcomeOf({ run }: ContractCase): Promise<string> {
  let outcome = 'passed';
  const skip = (reason: string) => (outcome = `left out: ${reason}`);
  await run.call({ skip }).catch((error: unknown) => (outcome = (error as Error).message));
  return outcome;
}

/** Runs the case of a host whose name begins so, without pauses. */
export function outcomeOfCase(start: string, host: HostUnderTest): Promise<string> {
  const found = casesOf(() => Promise.resolve(host), [0, 0]).find(({ name }) => name.startsWith(start));
  return outcomeOf(found ?? expect.fail());
}
