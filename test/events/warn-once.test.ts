import { mock } from 'node:test';
import { expect } from 'chai';
import { createWarnOnce } from '../../src/events/warn-once.js';

describe('createWarnOnce', () => {
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
    const calls = recordWarnings();
    const warnOnce = createWarnOnce();
    for (let times = 0; times < 3; times++) {
      warnOnce('EMA_TRUST_PROXY', 'trust proxy is off');
      warnOnce('EMA_TRUST_PROXY', 'trust proxy is true');
    }
    const options = { type: 'ExpressMerchantAuthWarning', code: 'EMA_TRUST_PROXY' };
    expect(calls).to.deep.equal([
      ['trust proxy is off', options],
      ['trust proxy is true', options],
    ]);
  });

  it('makes functions that share nothing', () => {
    const calls = recordWarnings();
    for (const warnOnce of [createWarnOnce(), createWarnOnce()]) warnOnce('EMA_TRUST_PROXY', 'trust proxy is off');
    expect(calls).to.have.length(2);
  });
});
