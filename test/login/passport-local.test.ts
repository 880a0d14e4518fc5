import { mock } from 'node:test';
import { expect } from 'chai';
import passport from 'passport';
import { throughPassportLocal } from '../../src/login/passport-local.js';
import { AWA, PASSWORD } from '../helpers/accounts.js';

afterEach('restore passport', () => mock.restoreAll());

interface Input {
  readonly identifier: string;
  readonly password: string;
  readonly number: number;
}

const inputOf = (number: number): Input => ({ identifier: AWA.email, password: PASSWORD, number });

describe('throughPassportLocal', () => {
  it('calls verify with the same object, and resolves to the result of verify', async () => {
    const input = Object.freeze(inputOf(1));
    for (const isRight of [true, false]) {
      const seen: Input[] = [];
      const authenticate = throughPassportLocal((given: Input) => {
        seen.push(given);
        return Promise.resolve(isRight);
      });
      expect(await authenticate(input)).to.equal(isRight);
      expect(seen).to.have.length(1);
      expect(seen[0]).to.equal(input);
    }
  });

  it("calls nothing of the host's passport", async () => {
    const calls = (['use', 'authenticate', 'initialize', 'session'] as const).map((name) =>
      mock.method(passport, name),
    );
    expect(await throughPassportLocal(() => Promise.resolve(true))(inputOf(1))).to.equal(true);
    expect(calls.map((call) => call.mock.callCount())).to.deep.equal([0, 0, 0, 0]);
  });
});
