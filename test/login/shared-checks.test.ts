import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { createPasswords } from '../../src/index.js';
import { Admission } from '../../src/login/admission.js';
import { SharedChecks, type SharedLogin } from '../../src/login/shared-checks.js';
import { AWA, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import { expectWrongCredentials, TOO_BUSY } from '../helpers/answers.js';
import { serveLogin, tokenOf } from '../helpers/login-host.js';
import { QUICK_HASH, quickPasswords } from '../helpers/quick-passwords.js';
import { expectAuthError, rejectionOf, thrownBy } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';

const CALLER = { address: '203.0.113.1', isKnown: true };
const OTHER_HASH = `${QUICK_HASH} `;

/** Shared logins over one slot, whose comparisons the test ends. Of four places, one source gets two. */
function shareChecks(maxPendingLogins = 200) {
  const quick = quickPasswords(createPasswords, { maxConcurrentHashes: 1 });
  const checks = new SharedChecks(quick.passwords, new Admission(maxPendingLogins, () => 0));
  const join = (password = PASSWORD, identifier = AWA.email) => checks.join({ identifier, password, caller: CALLER });
  const compare = (shared: SharedLogin, hash: string | null = QUICK_HASH, signal = new AbortController().signal) =>
    shared.compare(quick.passwords.hashToCompare(hash, 0), signal);
  /** Joins, compares and leaves, as a login does. */
  const check = async (...[password, identifier]: Parameters<typeof join>) => {
    const shared = join(password, identifier);
    return compare(shared).finally(() => shared.leave());
  };
  return { quick, join, compare, check, end: quick.hold() };
}

describe('SharedChecks', () => {
  it('give identical logins one place and one computation', async () => {
    const { quick, check, end } = shareChecks(1);
    const busy = check(WRONG);
    const same = Array.from({ length: 40 }, () => check());
    expectAuthError(await rejectionOf(check('another password')), TOO_BUSY);
    end();
    expect(await Promise.all(same)).to.deep.equal(Array.from({ length: 40 }, () => true));
    expect(await busy).to.equal(false);
    expect(quick.compared).to.deep.equal([WRONG, PASSWORD]);
  });

  it('share nothing with another password or another spelling of the identifier', async () => {
    const { quick, check, end } = shareChecks();
    const logins = [check(), check(WRONG), check(PASSWORD, AWA.email.toUpperCase()), check(PASSWORD, KOFI.email)];
    end();
    expect(await Promise.all(logins)).to.deep.equal([true, false, true, true]);
    expect(quick.compared).to.deep.equal([PASSWORD, WRONG, PASSWORD, PASSWORD]);
  });

  it('compute again for a member that finds another hash, which needs its own place', async () => {
    const { quick, join, compare, check, end } = shareChecks(4);
    const busy = check(WRONG);
    const [one, two, three] = [join(), join(), join()];
    const results = [compare(one), compare(two, OTHER_HASH)];
    expectAuthError(await rejectionOf(compare(three, null)), TOO_BUSY);
    end();
    expect(await Promise.all([busy, ...results])).to.deep.equal([false, true, false]);
    expect(quick.compared).to.have.length(3);
  });

  it('free both places when their members leave before a slot is free', async () => {
    const { join, compare, check, end } = shareChecks(4);
    const busy = check(WRONG);
    for (let round = 0; round < 2; round++) {
      const shared = join();
      for (const hash of [QUICK_HASH, OTHER_HASH]) compare(shared, hash).catch(() => undefined);
      expectAuthError(
        thrownBy(() => join('another password')),
        TOO_BUSY,
      );
      shared.leave();
      await settle();
      for (const other of [join('another password'), join('a third password')]) other.leave();
    }
    end();
    expect(await busy).to.equal(false);
  });

  it('never take the comparison with a decoy for one with a stored hash', async () => {
    const { join, compare, end } = shareChecks();
    end();
    const shared = join('');
    const [decoy, stored] = [compare(shared, null), compare(shared, 'quick:')];
    expect([await decoy, await stored]).to.deep.equal([false, true]);
  });

  it('go on when one member disconnects, and drop the computation when the last one leaves', async () => {
    const { quick, join, compare, check, end } = shareChecks(4);
    const busy = check(WRONG);
    const left = join('of the callers that left');
    const caller = new AbortController();
    const gone = [left, join()].map((shared) => ({
      shared,
      error: rejectionOf(compare(shared, QUICK_HASH, caller.signal)),
    }));
    const stayed = join();
    const result = compare(stayed);
    caller.abort();
    for (const { shared, error } of gone) {
      expect(await error).to.equal(caller.signal.reason);
      shared.leave();
    }
    // The place is free again.
    join('another password').leave();
    end();
    expect(await result).to.equal(true);
    await busy;
    await settle();
    expect(quick.compared).to.deep.equal([WRONG, PASSWORD]);
  });

  it('compute nothing for a caller that disconnected before', async () => {
    const { quick, join, compare } = shareChecks();
    const reason = new Error('gone');
    expect(await rejectionOf(compare(join(), QUICK_HASH, AbortSignal.abort(reason)))).to.equal(reason);
    expect(quick.compared).to.deep.equal([]);
  });

  it('give the result to a caller that disconnects after the start, so that its guess counts', async () => {
    const { join, compare, end } = shareChecks();
    const caller = new AbortController();
    const result = compare(join(), QUICK_HASH, caller.signal);
    await settle();
    caller.abort();
    end();
    expect(await result).to.equal(true);
    expect(getEventListeners(caller.signal, 'abort')).to.deep.equal([]);
  });

  it('compute anew after the computation has ended', async () => {
    const { quick, join, compare, end } = shareChecks();
    end();
    // The first member has not left yet.
    for (let login = 0; login < 2; login++) expect(await compare(join())).to.equal(true);
    expect(quick.compared).to.have.length(2);
  });
});

describe('identical logins', () => {
  it('get a token each from one computation, which other spellings do not share even if all are unknown', async () => {
    const { logIn, quick, asked } = await serveLogin({ throttle: false });
    const end = quick.hold();
    const logins = Array.from({ length: 40 }, () => logIn());
    const unknown = ['nobody@boutique.example', 'NOBODY@boutique.example'].map((spelling) => logIn(spelling));
    await until(() => asked.length === 42);
    end();
    expect(new Set((await Promise.all(logins)).map(tokenOf)).size).to.equal(40);
    for (const answer of await Promise.all(unknown)) expectWrongCredentials(answer);
    expect(quick.compared).to.have.length(3);
  });
});
