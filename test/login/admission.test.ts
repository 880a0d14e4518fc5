import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { Admission, type Caller, IN_PROGRESS, MAX_ESTIMATED_WAIT_MS } from '../../src/login/admission.js';
import { TOO_BUSY } from '../helpers/answers.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';

/** One source may have so many logins in progress. */
const HALF = IN_PROGRESS.limit / 2;

const from = (address: string) => () => address;
const stranger = (address: string): Caller => ({ address, isKnown: false });
const known = (address: string): Caller => ({ address, isKnown: true });

function expectTooBusy(call: () => unknown): void {
  expectAuthError(thrownBy(call), TOO_BUSY);
}

function times<Result>(count: number, call: (time: number) => Result): Result[] {
  return Array.from({ length: count }, (_, time) => call(time));
}

describe('logins in progress', () => {
  it('have a limit, and half of it for one source', () => {
    const admission = new Admission(1, () => 0);
    times(HALF - 1, () => admission.begin('one'));
    admission.admit(from('one'));
    admission.begin('one');
    expectTooBusy(() => admission.admit(from('one')));
    expectTooBusy(() => admission.begin('one'));
    times(HALF - 1, (time) => admission.begin(`another ${time}`));
    admission.admit(from('the last'));
    admission.begin('the last');
    expectTooBusy(() => admission.admit(from('one more')));
    expectTooBusy(() => admission.begin('one more'));
  });

  it('end once, which admits the next one from the same source', () => {
    const admission = new Admission(1, () => 0);
    const [end] = times(HALF, () => admission.begin('one'));
    end?.();
    end?.();
    admission.begin('one');
    expectTooBusy(() => admission.begin('one'));
  });

  it('are not counted when they are only admitted, so that a caller without a body occupies nothing', () => {
    const admission = new Admission(1, () => 0);
    times(IN_PROGRESS.limit + 1, () => admission.admit(from('one')));
  });

  it('need their source only while one source can have half of the limit', () => {
    const admission = new Admission(1, () => 0);
    const neverAsked = () => expect.fail('asked');
    times(HALF - 1, (time) => admission.begin(`source ${time}`));
    admission.admit(neverAsked);
    times(HALF, (time) => admission.begin(`another ${time}`));
    let asked = 0;
    admission.admit(() => `address ${(asked += 1)}`);
    expect(asked).to.equal(1);
    admission.begin('the last');
    expectTooBusy(() => admission.admit(neverAsked));
  });
});

describe('places', () => {
  it('are for every login while fewer than half are taken, and then one source gets a quarter', () => {
    const admission = new Admission(40, () => 0);
    times(20, () => admission.takePlace(known('one')));
    expectTooBusy(() => admission.takePlace(known('one')));
    times(10, () => admission.takePlace(known('another')));
    expectTooBusy(() => admission.takePlace(known('another')));
    admission.takePlace(known('a third'));
  });

  it('are for known sources in the last quarter', () => {
    const admission = new Admission(40, () => 0);
    times(30, (time) => admission.takePlace(stranger(`stranger ${time}`)));
    expectTooBusy(() => admission.takePlace(stranger('one more')));
    times(10, (time) => admission.takePlace(known(`known ${time}`)));
    expectTooBusy(() => admission.takePlace(known('one more')));
  });

  it('are refused when the wait would be longer than five seconds, by the class of the source', () => {
    const waits = { known: MAX_ESTIMATED_WAIT_MS, others: MAX_ESTIMATED_WAIT_MS + 1 };
    const admission = new Admission(40, (isKnown) => (isKnown ? waits.known : waits.others));
    admission.takePlace(stranger('the first'));
    expectTooBusy(() => admission.takePlace(stranger('another')));
    admission.takePlace(known('a merchant'));
    waits.known = waits.others;
    expectTooBusy(() => admission.takePlace(known('a merchant')));
  });

  it('are given when nobody waits, whatever the estimate, and freed once', () => {
    const admission = new Admission(1, () => Infinity);
    const free = admission.takePlace(stranger('one'));
    expectTooBusy(() => admission.takePlace(stranger('another')));
    free();
    admission.takePlace(stranger('another'));
    free();
    expectTooBusy(() => admission.takePlace(stranger('one')));
  });
});

describe('refusals', () => {
  it('are answered 32 at a time in one turn of the event loop', async () => {
    const admission = new Admission(1, () => 0);
    let answered = 0;
    const refuse = () => void admission.waitToRefuse().then(() => (answered += 1));
    times(70, refuse);
    const counts: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await setImmediate();
      counts.push(answered);
    }
    expect(counts).to.deep.equal([32, 64, 70]);
    refuse();
    await setImmediate();
    expect(answered).to.equal(71);
  });
});
