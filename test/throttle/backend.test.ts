import { expect } from 'chai';
import { Backend } from '../../src/throttle/backend.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { type FrozenTime, freezeTime } from '../helpers/frozen-time.js';
import { rejectionOf } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';

const BEGINS =
  'The backend of the login throttle failed, so failed logins are counted in the memory of this process until it answers.';
const ENDS = 'The backend of the login throttle answers again, so failed logins are counted there.';
const NOT_RECORDED =
  'The backend of the login throttle did not record a good login, so only this process knows its source and has cleared ' +
  'its failures.';

const works = () => Promise.resolve('answer');
const hangs = () => new Promise<string>(() => undefined);
const READONLY = ' Cause: ReplyError READONLY a replica';
const TIMEOUT = ' Cause: TimeoutError no answer within 250 ms';
const refuses = () => Promise.reject(Object.assign(new Error('READONLY a replica'), { name: 'ReplyError' }));

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
    expect(warnings).to.deep.equal([BEGINS + TIMEOUT, NOT_RECORDED + TIMEOUT]);
  });

  for (const [how, answer, cause] of [
    ['refuses', refuses, READONLY],
    ['rejects with nothing', () => Promise.reject(undefined), ' Cause: Error A value that is not an Error was thrown'],
    [
      'throws',
      () => {
        throw new TypeError('storeClient is missing');
      },
      ' Cause: TypeError storeClient is missing',
    ],
    ['hangs', hangs, TIMEOUT],
  ] as const) {
    it(`pauses for 1 s after each call that ${how}, and has ended the outage when it counts again`, async () => {
      for (let failure = 0; failure < 2; failure++) {
        const failed = backend.call(answer);
        time.pass(how === 'hangs' ? 0.25 : 0);
        expect(await failed).to.equal(undefined);
        expect(warnings).to.deep.equal([BEGINS + cause]);
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
      expect(warnings).to.deep.equal([BEGINS + cause, ENDS]);
      await backend.call(refuses);
      expect(warnings).to.deep.equal([BEGINS + cause, ENDS, BEGINS + READONLY]);
    });
  }

  for (const [what, error, described] of [
    [
      'a client of node-redis without its setting, with a hint',
      new TypeError('this.client.multi(...).get(...).pttl is not a function'),
      ' node-redis needs useRedisPackage: true. Cause: TypeError this.client.multi(...).get(...).pttl is not a function',
    ],
    [
      'the client of another database',
      new TypeError('this.client.multi is not a function'),
      ' Cause: TypeError this.client.multi is not a function',
    ],
    [
      'an absent table',
      Object.assign(new Error('relation "limits" does not exist'), { name: 'DatabaseError', code: '42P01' }),
      ' Cause: DatabaseError 42P01 relation "limits" does not exist',
    ],
    [
      'a refused connection, which has only a code',
      Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
      ' Cause: AggregateError ECONNREFUSED ',
    ],
    [
      'an error of several lines by its first',
      new Error('\nInvalid `upsert()` invocation:\nemail@shop.example'),
      ' Cause: Error Invalid `upsert()` invocation:',
    ],
    ['a message with control characters', new Error('refused\u001b[31m\rforged'), ' Cause: Error refused'],
    ['a whole statement by its beginning', new Error('x'.repeat(1_000)), ` Cause: Error ${'x'.repeat(294)}`],
  ] as const) {
    it(`names the cause of an outage, and of a record that fails: ${what}`, async () => {
      await backend.record(() => Promise.reject(error));
      await backend.call(() => Promise.reject(error));
      expect(warnings).to.deep.equal([NOT_RECORDED + described, BEGINS + described]);
    });
  }

  it('warns at most once an hour of records that fail, whatever the cause, and pauses nothing', async () => {
    for (const [seconds, fails] of [
      [0, refuses],
      [3_599, () => Promise.reject(new Error('NOPERM'))],
      [1, refuses],
    ] as const) {
      time.pass(seconds);
      await backend.record(fails);
      expect([await reaches('call'), backend.isOut]).to.deep.equal([true, false]);
    }
    expect(warnings).to.deep.equal([NOT_RECORDED + READONLY, NOT_RECORDED + READONLY]);
  });

  it('insists during the pause, and rejects with the error of the call', async () => {
    await backend.call(refuses);
    expect(await backend.insist(works)).to.equal('answer');
    expect(await rejectionOf(backend.insist(refuses))).to.have.property('message', 'READONLY a replica');
  });
});
