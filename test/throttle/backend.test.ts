import { mock } from 'node:test';
import { expect } from 'chai';
import { Backend, type CallKind } from '../../src/throttle/backend.js';
import { type FrozenTime, freezeTime } from '../helpers/frozen-time.js';
import { settle } from '../helpers/until.js';

const BEGINS =
  'The backend of the login throttle failed, so failed logins are counted in the memory of this process until it answers. ' +
  'If this comes at start, the limiter is set up wrongly: node-redis needs useRedisPackage: true.';
const ENDS = 'The backend of the login throttle answers again, so failed logins are counted there.';

const works = () => Promise.resolve('answer');
const hangs = () => new Promise<string>(() => undefined);
const refuses = () => Promise.reject(new Error('READONLY'));

/** Returns true when a promise is settled, without waiting for it. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  await settle();
  return settled;
}

describe('Backend', () => {
  const clock = { now: 0 };
  let backend: Backend;
  let time: FrozenTime;
  let warnings: unknown[][];

  beforeEach(() => {
    time = freezeTime();
    clock.now = 0;
    backend = new Backend(() => clock.now);
    warnings = [];
    mock.method(process, 'emitWarning', (...args: unknown[]) => void warnings.push(args));
  });
  afterEach(() => {
    mock.restoreAll();
  });

  const messages = () => warnings.map(([message]) => message);

  /** Makes a call, and returns true when it reached the backend. */
  async function reaches(kind: CallKind): Promise<boolean> {
    let reached = false;
    await backend.call(kind, () => {
      reached = true;
      return works();
    });
    return reached;
  }

  it('passes on the answers of reads and writes, without a warning', async () => {
    expect(await backend.call('get', works)).to.equal('answer');
    expect(await backend.call('set', works)).to.equal('answer');
    expect(await backend.call('get', () => Promise.resolve(null))).to.equal(null);
    expect(warnings).to.deep.equal([]);
  });

  it('waits 250 ms for an answer and no longer', async () => {
    const call = backend.call('get', hangs);
    time.pass(0.249);
    expect(await isSettled(call)).to.equal(false);
    time.pass(0.001);
    expect(await isSettled(call)).to.equal(true);
    expect(await call).to.equal(undefined);
  });

  const failures: readonly (readonly [how: string, answer: () => Promise<unknown>])[] = [
    ['refuses', refuses],
    ['rejects with nothing', () => Promise.reject(undefined)],
    [
      'throws',
      () => {
        throw new Error('useRedisPackage is missing');
      },
    ],
    ['hangs', hangs],
  ];
  for (const kind of ['get', 'set'] as const) {
    for (const [how, answer] of failures) {
      it(`begins an outage when it ${how} on a ${kind}, and rests for 1 s, for reads and writes`, async () => {
        const failed = backend.call(kind, answer);
        time.pass(0.25);
        expect(await failed).to.equal(undefined);
        expect(messages()).to.deep.equal([BEGINS]);
        clock.now = 999;
        expect(await reaches('get')).to.equal(false);
        expect(await reaches('set')).to.equal(false);
        clock.now = 1_000;
        expect(await reaches('get')).to.equal(true);
        expect(await reaches('set')).to.equal(true);
        expect(messages()).to.deep.equal([BEGINS, ENDS]);
      });
    }
  }

  it('rests for another second after each failure', async () => {
    await backend.call('set', refuses);
    clock.now = 1_000;
    await backend.call('set', refuses);
    clock.now = 1_999;
    expect(await reaches('set')).to.equal(false);
    clock.now = 2_000;
    expect(await reaches('set')).to.equal(true);
  });

  /** Makes one call a second. `-` fails, and `+` succeeds. */
  async function make(calls: string): Promise<void> {
    for (const each of calls.split(' ')) {
      const kind = each.slice(1) as CallKind;
      await backend.call(kind, each.startsWith('-') ? refuses : works);
      clock.now += 1_000;
    }
  }

  for (const [title, calls, last] of [
    ['of penalties with a penalty, because it can serve all others', '-penalty +get +set +delete', '+penalty'],
    ['of sets with a set', '-set +get +penalty +delete -set', '+set'],
    ['of deletes with a delete', '-delete +get +penalty +set -delete', '+delete'],
    ['of reads with a write, because a server that comes back as a replica serves reads', '-get +get', '+penalty'],
    ['of reads and writes with a write', '-get +get -penalty +get', '+penalty'],
    ['with a write after the last failure', '-get +set -get +get', '+set'],
    ['when each kind that failed has succeeded', '-get -set +set', '+get'],
  ] as const) {
    it(`ends an outage ${title}`, async () => {
      await make(calls);
      expect(messages()).to.deep.equal([BEGINS]);
      await make(last);
      expect(messages()).to.deep.equal([BEGINS, ENDS]);
    });
  }

  it('does not end an outage with a write that started before it', async () => {
    let answer = (_value: string): void => undefined;
    const early = backend.call('set', () => new Promise<string>((resolve) => (answer = resolve)));
    await backend.call('set', refuses);
    answer('late');
    expect(await early).to.equal('late');
    expect(messages()).to.deep.equal([BEGINS]);
    expect(await reaches('set')).to.equal(false);
  });

  it('warns once at the start and once at the end of each outage, with a type and a code', async () => {
    for (const start of [0, 10_000, 20_000]) {
      clock.now = start;
      for (let failure = 0; failure < 5; failure++) {
        await backend.call('get', refuses);
        await backend.call('set', refuses);
        clock.now += 1_000;
      }
      for (let success = 0; success < 5; success++) {
        await backend.call('get', works);
        await backend.call('set', works);
      }
    }
    const options = { type: 'ExpressMerchantAuthWarning', code: 'EMA_THROTTLE_BACKEND' };
    const ofOne = [
      [BEGINS, options],
      [ENDS, options],
    ];
    expect(warnings).to.deep.equal([...ofOne, ...ofOne, ...ofOne]);
  });

  it('lets none of many parallel calls wait longer than one call, and warns once', async () => {
    const calls = Array.from({ length: 300 }, (_, index) => backend.call(index % 2 === 0 ? 'get' : 'set', hangs));
    time.pass(0.25);
    expect(await Promise.all(calls)).to.deep.equal(Array.from({ length: 300 }, () => undefined));
    expect(messages()).to.deep.equal([BEGINS]);
  });
});
