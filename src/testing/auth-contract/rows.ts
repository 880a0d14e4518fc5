import { AssertionError } from 'node:assert';
import { leaveOutUnless } from '../left-out.js';
import { demand, reasonOf, violation } from '../messages.js';
import { demandOf, demandPass } from './answer.js';
import type { TestMerchant } from './host-under-test.js';
import type { Visit } from './visit.js';

/** A merchant and its token. */
export interface Caller extends TestMerchant {
  readonly token: string;
}

/** Returns the merchant whose rows are asked for, and the one that asks. Leaves the case out without an id of a row. */
export async function callersOf(visit: Visit, reason: string): Promise<readonly [Caller, Caller]> {
  const { host } = visit;
  leaveOutUnless(host.transactions.idOf !== undefined, `Give transactions.idOf to test this. ${reason}`);
  leaveOutUnless(host.otherMerchant !== undefined, 'Give otherMerchant to test this.');
  const { merchant, otherMerchant } = host;
  return [
    { ...merchant, token: await visit.tokenOf(merchant) },
    { ...otherMerchant, token: await visit.tokenOf(otherMerchant) },
  ];
}

/** Makes a row, and returns its id. */
export async function createRow(visit: Visit, { token, referencl }: Caller): Promise<string> {
  const answer = await visit.transact(token, { referencl });
  demandPass(answer, 'The case needs new transactions of each merchant, so let transactions.body differ each time.');
  let id: unknown;
  try {
    id = visit.host.transactions.idOf?.(answer.json);
  } catch (cause) {
    throw violation(`transactions.idOf failed on the answer of ${answer.request}: ${reasonOf(cause)}.`, cause);
  }
  const found = (typeof id === 'string' && id !== '') || typeof id === 'number' || typeof id === 'bigint';
  demandOf(answer, found, `transactions.idOf found no id in the answer of ${answer.request}.`, 'Return the id.');
  return String(id);
}

/** Runs a check for each item, and fails with the messages of all that fail. */
export async function demandEach<Item>(items: readonly Item[], check: (item: Item) => Promise<void>): Promise<void> {
  const problems: string[] = [];
  for (const item of items) {
    await check(item).catch((error: unknown) => {
      if (!(error instanceof AssertionError)) throw error;
      problems.push(error.message);
    });
  }
  demand(problems.length === 0, problems.join('\n'));
}

/** Matches a value that is not a part of a longer word. */
export function wordOf(text: string): RegExp {
  return new RegExp(`(?<![\\w-])${text.replace(/\W/g, '\\$&')}(?![\\w-])`, 'g');
}
