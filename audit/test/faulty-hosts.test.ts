import { expect } from 'chai';
import { authContract, type HostUnderTest } from '../src/index.js';
import { PASSWORD } from '../../test/helpers/accounts.js';
import { stubComputations } from '../../test/helpers/computations.js';
import { HOST, NO_ROWS, outcomeOf } from './contract.js';
import { collectWarnings } from '../../test/helpers/warnings.js';
import { appWith } from './faulty-hosts/fault.js';
import { FAULTY } from './faulty-hosts/index.js';

const casesOf = (host: Partial<HostUnderTest>) => authContract(() => Promise.resolve({ ...HOST, ...host }));

describe('a host with one fault', () => {
  beforeEach(() => {
    collectWarnings();
    stubComputations(({ password }) => password === PASSWORD);
  });

  it('differs from a correct host, which passes each case', async () => {
    for (const test of casesOf({ app: appWith(), ...NO_ROWS })) {
      expect(await outcomeOf(test), test.name).to.match(/^(passed$|left out: )/);
    }
  });

  it('is there for each case of authContract', () => {
    const failing = FAULTY.flatMap(({ fails }) => fails);
    const names = casesOf({}).map(({ name }) => name);
    expect(names.filter((name) => !failing.some((start) => name.startsWith(start)))).to.deep.equal([]);
  });

  for (const { fault, host, fails, says } of FAULTY) {
    it(`fails its case, whose message says what to change: ${fault}`, async () => {
      const cases = casesOf(host()).filter(({ name }) => fails.some((start) => name.startsWith(start)));
      expect(cases).to.have.length(fails.length);
      for (const test of cases) expect(await outcomeOf(test), test.name).to.match(says);
    });
  }
});
