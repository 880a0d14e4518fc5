import { mock } from 'node:test';
import { expect } from 'chai';
import passport from 'passport';
import { throughPassportLocal } from '../../src/login/passport-local.js';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { rejectionOf } from '../helpers/thrown.js';

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

  it('keeps 200 overlapping logins apart', async () => {
    const ends: (() => void)[] = [];
    const authenticate = throughPassportLocal(
      ({ number }: Input) => new Promise<boolean>((resolve) => ends.push(() => resolve(number % 3 === 0))),
    );
    const inputs = Array.from({ length: 200 }, (_, number) => inputOf(number));
    const results = Promise.all(inputs.map(authenticate));
    for (const end of ends.reverse()) end();
    expect(await results).to.deep.equal(inputs.map(({ number }) => number % 3 === 0));
  });

  it('rejects with the error that verify rejects with', async () => {
    for (const reason of [new Error('down'), new TypeError('a bug')]) {
      const authenticate = throughPassportLocal(() => Promise.reject(reason));
      expect(await rejectionOf(authenticate(inputOf(1)))).to.equal(reason);
    }
  });

  it('rejects with an Error also when verify rejects with another value', async () => {
    for (const reason of [undefined, null, false, 'route', 0]) {
      const authenticate = throughPassportLocal(() => Promise.reject(reason));
      expect(await rejectionOf(authenticate(inputOf(1))))
        .to.be.instanceOf(Error)
        .with.property('cause', reason);
    }
  });

  it('resolves to false for empty credentials, which passport-local does not verify', async () => {
    const authenticate = throughPassportLocal(() => Promise.resolve(true));
    expect(await authenticate({ identifier: AWA.email, password: '' })).to.equal(false);
  });

  it("calls nothing of the host's passport", async () => {
    const calls = (['use', 'authenticate', 'initialize', 'session'] as const).map((name) =>
      mock.method(passport, name),
    );
    expect(await throughPassportLocal(() => Promise.resolve(true))(inputOf(1))).to.equal(true);
    expect(calls.map((call) => call.mock.callCount())).to.deep.equal([0, 0, 0, 0]);
  });
});
