import { expect } from 'chai';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createRejectingInsurance } from '../../src/throttle/rejecting-insurance.js';
import { rejectionOf } from '../helpers/thrown.js';

const OPTIONS = { keyPrefix: 'test', points: 10, duration: 900 };
const MESSAGE = 'The backend of the login throttle failed.';

describe('createRejectingInsurance', () => {
  it('makes a limiter that rejects every call of the throttle', async () => {
    const insurance = createRejectingInsurance(OPTIONS);
    for (const call of [
      () => insurance.get('a'),
      () => insurance.penalty('a'),
      () => insurance.set('a', 1, 60),
      () => insurance.block('a', 60),
      () => insurance.delete('a'),
    ]) {
      expect(await rejectionOf(call())).to.have.property('message', MESSAGE);
    }
  });

  it('makes a limiter of the library reject when its backend refuses a write, instead of counting in memory', async () => {
    const refuse = () => Promise.reject(new Error("READONLY You can't write against a read only replica."));
    const client = { defineCommand: () => undefined, rlflxIncr: refuse, multi: () => ({ exec: refuse, set: refuse }) };
    const insuranceLimiter = createRejectingInsurance(OPTIONS);
    const limiter = new RateLimiterRedis({ ...OPTIONS, storeClient: client, insuranceLimiter });
    expect(await rejectionOf(limiter.penalty('a'))).to.have.property('message', MESSAGE);
  });
});
