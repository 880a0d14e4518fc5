import { expect } from 'chai';
import { authContract, type ContractCase, type HostUnderTest } from '../../src/testing/index.js';
import { PASSWORD } from '../helpers/accounts.js';
import { stubComputations } from '../helpers/computations.js';
import { HOST } from '../helpers/contract.js';
import { collectWarnings } from '../helpers/warnings.js';
import { appWith } from './faulty-hosts/fault.js';
import { FAULTY } from './faulty-hosts/index.js';

const casesOf = (host: Partial<HostUnderTest>) => authContract(() => Promise.resolve({ ...HOST, ...host }));

/** Returns the message of a case that fails, and an empty text for one that passes or is left out. */
async function messageOf({ run }: ContractCase): Promise<string> {
  const [outcome] = await Promise.allSettled([run.call({ skip: () => undefined })]);
  return outcome.status === 'rejected' ? (outcome.reason as Error).message : '';
}

describe('a host with one fault', () => {
  beforeEach(() => {
    collectWarnings();
    stubComputations(({ password }) => password === PASSWORD);
  });

  it('differs from a correct host, which passes each case', async () => {
    for (const test of casesOf({ app: appWith() })) expect(await messageOf(test), test.name).to.equal('');
  });

  it('is there for each case of authContract', () => {
    const failing = FAULTY.flatMap(({ fails }) => fails);
    for (const { name } of casesOf({}))
      expect(
        failing.some((start) => name.startsWith(start)),
        name,
      ).to.equal(true);
  });

  for (const { fault, host, fails, says } of FAULTY) {
    it(`fails its case, whose message says what to change: ${fault}`, async () => {
      const cases = casesOf(host()).filter(({ name }) => fails.some((start) => name.startsWith(start)));
      expect(cases).to.have.length(fails.length);
      for (const test of cases) expect(await messageOf(test), test.name).to.match(says);
    });
  }
});
