import { mock } from 'node:test';
import { expect } from 'chai';
import { createWarn } from '../../src/events/warning.js';
import { freezeTime } from '../helpers/frozen-time.js';

const HOUR_MS = 3_600_000;

describe('createWarn', () => {
  afterEach('print warnings again', () => {
    mock.restoreAll();
  });

  /** Records the arguments of each process warning. */
  function recordWarnings(): unknown[][] {
    const calls: unknown[][] = [];
    mock.method(process, 'emitWarning', (...args: unknown[]) => calls.push(args));
    return calls;
  }

  it('emits each message once, as a process warning with a type and a code', () => {
    const time = freezeTime();
    const calls = recordWarnings();
    const warn = createWarn();
    for (let times = 0; times < 3; times++) {
      warn('EMA_TRUST_PROXY', 'trust proxy is off');
      warn('EMA_TRUST_PROXY', 'trust proxy is true');
      time.pass(365 * 86_400);
    }
    const options = { type: 'ExpressMerchantAuthWarning', code: 'EMA_TRUST_PROXY' };
    expect(calls).to.deep.equal([
      ['trust proxy is off', options],
      ['trust proxy is true', options],
    ]);
  });

  it('emits a message again after the time that the caller names, and counts that time from the last emission', () => {
    const time = freezeTime();
    const calls = recordWarnings();
    const warn = createWarn();
    const warned = () => {
      warn('EMA_TRUST_PROXY', 'trust proxy is off', HOUR_MS);
      return calls.length;
    };
    expect(warned()).to.equal(1);
    time.pass(3_599.999);
    expect(warned()).to.equal(1);
    time.pass(0.001);
    expect(warned()).to.equal(2);
    time.pass(3_599.999);
    expect(warned()).to.equal(2);
    warn('EMA_TRUST_PROXY', 'trust proxy is true', HOUR_MS);
    expect(calls).to.have.length(3);
  });
});
