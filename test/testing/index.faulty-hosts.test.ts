import { expect } from 'chai';
import { auditRoutes, authContract, type ContractCase, userStoreContract } from '../../src/testing/index.js';
import { PASSWORD } from '../helpers/accounts.js';
import { stubComputations } from '../helpers/computations.js';
import { collectWarnings } from '../helpers/warnings.js';
import { appWith, type FaultyHost, SOUND } from './faulty-hosts/fault.js';
import { FAULTY } from './faulty-hosts/index.js';

/** Returns the messages of the cases that fail. */
async function failuresOf(cases: readonly ContractCase[]): Promise<string[]> {
  const messages: string[] = [];
  for (const { name, run } of cases) {
    await run
      .call({ skip: () => undefined })
      .catch((error: unknown) => messages.push(`${name}: ${(error as Error).message}`));
  }
  return messages;
}

/** Returns all that the tool of a fault says. */
async function saidOf(faulty: FaultyHost): Promise<string> {
  switch (faulty.tool) {
    case 'authContract':
      return (await failuresOf(authContract(() => Promise.resolve({ ...SOUND, ...faulty.host() })))).join('\n');
    case 'auditRoutes':
      return String(auditRoutes(faulty.app()));
    case 'userStoreContract':
      return (await failuresOf(userStoreContract(() => Promise.resolve(faulty.store())))).join('\n');
    case 'TypeError':
      try {
        faulty.construct();
        return '';
      } catch (error) {
        expect(error).to.be.instanceOf(TypeError);
        return (error as TypeError).message;
      }
  }
}

describe('a host with one fault', () => {
  beforeEach(() => {
    collectWarnings();
    stubComputations(({ password }) => password === PASSWORD);
  });

  it('is one of more than forty hosts', () => {
    expect(FAULTY.length).to.be.at.least(40);
    expect(new Set(FAULTY.map(({ fault }) => fault)).size).to.equal(FAULTY.length);
  });

  it('differs from a correct host, in which no fault is found', async () => {
    expect(await failuresOf(authContract(() => Promise.resolve({ ...SOUND, app: appWith() })))).to.deep.equal([]);
    expect(auditRoutes(appWith()).findings).to.deep.equal([]);
  });

  for (const faulty of FAULTY) {
    it(`is detected by ${faulty.tool}: ${faulty.fault}`, async () => {
      expect(await saidOf(faulty)).to.match(faulty.says);
    });
  }
});
