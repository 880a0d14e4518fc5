import { expect } from 'chai';
import { Backend } from '../../src/throttle/backend.js';
import { type FrozenTime, freezeTime } from '../helpers/frozen-time.js';
import { rejectionOf } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';

const BEGINS =
  'The backend of the login throttle failed, so failed logins are counted in the memory of this process until it answers. ' +
  'If this comes at start, the limiter is set up wrongly: node-redis needs useRedisPackage: true.';
const ENDS = 'The backend of the login throttle answers again, so failed logins are counted there.';
const NOT_RECORDED =
  'The backend of the login throttle did not record a good login, so only this process knows its source and has cleared ' +
  'its failures.';

const works = () => Promise.resolve('answer');
const hangs = () => new Promise<string>(() => undefined);
const refuses = () => Promise.reject(new Error('READONLY'));

describe('Backend', () => {
  let backend: Backend;
  let time: FrozenTime;
  let warnings: string[];
  beforeEach(() => {
    time = freezeTime();
    backend = new Backend();
    warnings = collectWarnings();
  });

  /** Returns true when a call or a record reaches the backend. */
  async function reaches(method: 'call' | 'record'): Promise<boolean> {
    let reached = false;
    await backend[method](() => {
      reached = true;
      return works();
    });
    return reached;
  }

  it('passes on the answers, without a warning', async () => {
    expect(await backend.call(works)).to.equal('answer');
    expect(await backend.call(() => Promise.resolve(null))).to.equal(null);
    expect(await backend.insist(works)).to.equal('answer');
    backend.hasCounted();
    expect(warnings).to.deep.equal([]);
  });

  it('waits 250 ms for an answer and no longer, even for many parallel calls', async () => {
    const settled: unknown[] = [];
    const note = (result: unknown) => void settled.push(result);
    for (let call = 0; call < 300; call++) void backend.call(hangs).then(note);
    void backend.record(hangs).then(note);
    void backend.insist(hangs).catch(note);
    time.pass(0.249);
    await settle();
    expect(settled).to.deep.equal([]);
    time.pass(0.001);
    await settle();
    expect(settled).to.have.length(302);
    expect(warnings).to.deep.equal([BEGINS, NOT_RECORDED]);
  });

  for (const [how, answer] of [
    ['refuses', refuses],
    ['rejects with nothing', () => Promise.reject(undefined)],
    [
      'throws',
      () => {
        throw new Error('useRedisPackage is missing');
      },
    ],
    ['hangs', hangs],
  ] as const) {
    it(`pauses for 1 s after each call that ${how}, and has ended the outage when it counts again`, async () => {
      for (let failure = 0; failure < 2; failure++) {
        const failed = backend.call(answer);
        time.pass(how === 'hangs' ? 0.25 : 0);
        expect(await failed).to.equal(undefined);
        expect(warnings).to.deep.equal([BEGINS]);
        time.pass(0.999);
        expect([await reaches('call'), await reaches('record')]).to.deep.equal([false, false]);
        // A call that started before the failure does not end the outage.
        backend.hasCounted();
        time.pass(0.001);
        expect([await reaches('call'), await reaches('record')]).to.deep.equal([true, true]);
        expect(backend.isOut).to.equal(true);
      }
      backend.hasCounted();
      expect(backend.isOut).to.equal(false);
      expect(warnings).to.deep.equal([BEGINS, ENDS]);
      await backend.call(refuses);
      expect(warnings).to.deep.equal([BEGINS, ENDS, BEGINS]);
    });
  }

  it('warns at most once an hour of a record that fails, and pauses nothing', async () => {
    for (const seconds of [0, 3_599, 1]) {
      time.pass(seconds);
      await backend.record(refuses);
      expect([await reaches('call'), backend.isOut]).to.deep.equal([true, false]);
    }
    expect(warnings).to.deep.equal([NOT_RECORDED, NOT_RECORDED]);
  });

  it('insists during the pause, and rejects with the error of the call', async () => {
    await backend.call(refuses);
    expect(await backend.insist(works)).to.equal('answer');
    expect(await rejectionOf(backend.insist(refuses))).to.have.property('message', 'READONLY');
  });
});
