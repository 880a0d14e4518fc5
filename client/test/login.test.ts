import { inspect } from 'node:util';
import { expect } from 'chai';
import { MerchantApiError, type MerchantClient } from '../src/index.js';
import { ACCOUNT_DISABLED, WRONG_CREDENTIALS } from '../../test/helpers/answers.js';
import { freezeTime } from '../../test/helpers/frozen-time.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { settle } from '../../test/helpers/until.js';
import {
  ACCOUNT,
  clientOf,
  gate,
  redirected,
  type Sent,
  type StubService,
  stubService,
  successBody,
} from './stub-service.js';

async function errorOf(login: Promise<unknown>): Promise<MerchantApiError> {
  const error = await rejectionOf(login);
  expect(error).to.be.instanceOf(MerchantApiError);
  return error as MerchantApiError;
}

describe('The login of the client', () => {
  let service: StubService;
  let client: MerchantClient;
  beforeEach(() => {
    service = stubService();
    client = clientOf(service);
  });

  /** Refuses the first logins, each with the next of these values of Retry-After. */
  function refuse(status: number, ...retryAfter: (string | undefined)[]): void {
    service.answerLogin = () => {
      const seconds = retryAfter[service.logins.length - 1];
      if (service.logins.length > retryAfter.length) return service.success();
      return service.answer(status, { error: 'any_code' }, seconds === undefined ? {} : { 'Retry-After': seconds });
    };
  }

  it('sends the email and the password, to one address only', async () => {
    const { password, email } = ACCOUNT;
    expect(await client.login()).to.deep.equal(successBody('token-1'));
    const [{ input, init }] = service.logins as [Sent];
    expect([input, init.method, init.redirect]).to.deep.equal(['https://api.example/v1/login', 'POST', 'manual']);
    expect(init.headers).to.deep.equal({ 'Content-Type': 'application/json' });
    expect(JSON.parse(init.body as string)).to.deep.equal({ email, password });
  });

  for (const [status, body] of [
    [401, { error: WRONG_CREDENTIALS, description: 'The email is wrong.' }],
    [401, { title: 'Unauthorized', detail: 'The email is wrong.' }],
    [403, { message: 'The email is wrong.' }],
  ] as const) {
    it(`is not sent for a minute after a ${status} with ${Object.keys(body).join()}: all callers get its error`, async () => {
      const time = freezeTime();
      service.answerLogin = () => service.answer(status, body);
      const errors = await Promise.all(Array.from({ length: 40 }, () => errorOf(client.fetch('/a'))));
      for (let call = 0; call < 40; call++) errors.push(await errorOf(client.referencl()));
      const [error] = errors;
      expect(error).to.deep.include({ status, message: 'The email is wrong.', body });
      service.answerLogin = () => service.success();
      for (const seconds of [3_600, -7_200]) {
        time.jump(seconds);
        errors.push(await errorOf(client.fetch('/a')));
      }
      time.pass(59.9);
      errors.push(await errorOf(client.fetch('/a')));
      expect([new Set(errors).size, service.logins.length, service.calls.length]).to.deep.equal([1, 1, 0]);
      time.pass(0.1);
      expect((await client.fetch('/a')).status).to.equal(200);
    });
  }

  for (const [status, retryAfter, seconds] of [
    [429, '31', 31],
    [503, '600', 600],
    [429, '86400', 900],
  ] as const) {
    it(`is not sent for ${seconds} seconds after a ${status} with Retry-After ${retryAfter}`, async () => {
      const time = freezeTime();
      refuse(status, retryAfter);
      const error = await errorOf(client.fetch('/a'));
      time.pass(seconds - 0.1);
      expect(await errorOf(client.fetch('/a'))).to.equal(error);
      expect(service.logins).to.have.length(1);
      // A timer of the caller can fire early.
      time.pass(0.05);
      expect((await client.fetch('/a')).status).to.equal(200);
    });
  }

  describe('after a refusal', () => {
    beforeEach('get a refusal', async () => {
      refuse(429, '600');
      await errorOf(client.fetch('/a'));
    });

    it('is sent at once by login(), and the others share it', async () => {
      const { opened, open } = gate();
      service.answerLogin = () => opened.then(() => service.success());
      const login = client.login();
      const call = client.fetch('/a');
      open();
      expect([(await login).code, (await call).status, service.logins.length]).to.deep.equal([200, 200, 2]);
    });

    it('is sent as usual after login() has succeeded', async () => {
      await client.login();
      service.live.clear();
      expect((await client.fetch('/a')).status).to.equal(200);
    });

    it('is not sent after login() was refused too', async () => {
      service.answerLogin = () => service.answer(401, { error: ACCOUNT_DISABLED });
      const error = await errorOf(client.login());
      expect(await errorOf(client.fetch('/a'))).to.equal(error);
      expect(service.logins).to.have.length(2);
    });

    it('is sent by the next call after invalidate()', async () => {
      client.invalidate();
      expect((await client.fetch('/a')).status).to.equal(200);
    });
  });

  it('is sent by the next call when invalidate() was called before the refusal came', async () => {
    const { opened, open } = gate<Response>();
    service.answerLogin = () => (service.logins.length === 1 ? opened : service.success());
    const refused = errorOf(client.fetch('/a'));
    await settle();
    client.invalidate();
    open(service.answer(401, { error: ACCOUNT_DISABLED }));
    expect((await refused).error).to.equal(ACCOUNT_DISABLED);
    expect((await client.fetch('/a')).status).to.equal(200);
  });

  for (const status of [429, 503]) {
    it(`waits for Retry-After after a ${status}, once for all callers`, async () => {
      const time = freezeTime();
      refuse(status, '30');
      const calls = Promise.all([client.fetch('/a'), client.fetch('/b')]);
      await settle();
      time.pass(29.9);
      await settle();
      expect(service.logins).to.have.length(1);
      time.pass(0.1);
      expect((await calls).map((answer) => answer.status)).to.deep.equal([200, 200]);
      expect(service.logins).to.have.length(2);
    });
  }

  for (const [title, status, retryAfter] of [
    ['a 503 without Retry-After', 503, undefined],
    ['a 500 with Retry-After', 500, '1'],
    ['a 400 with Retry-After', 400, '1'],
  ] as const) {
    it(`does not wait after ${title}, and the next call logs in`, async () => {
      refuse(status, retryAfter);
      const error = await errorOf(client.fetch('/a'));
      expect([error.status, error.retryAfterSeconds]).to.deep.equal([status, retryAfter && Number(retryAfter)]);
      expect(service.logins).to.have.length(1);
      expect((await client.fetch('/a')).status).to.equal(200);
    });
  }

  it('waits only once: the second refusal goes to the callers', async () => {
    const time = freezeTime();
    refuse(503, '1', '2');
    const refused = errorOf(client.login());
    await settle();
    time.pass(1);
    expect([(await refused).retryAfterSeconds, service.logins.length]).to.deep.equal([2, 2]);
  });

  for (const [title, body] of [
    ['no token', { ...successBody('secret-token'), authorisation: {} }],
    ['a line break in the token', successBody('secret-token\nX')],
    ['no reference', { ...successBody('secret-token'), marchand: {} }],
    ['other members', { token: 'secret-token' }],
    ['no object', 'secret-token'],
  ] as const) {
    it(`fails on a success with ${title}, and stores nothing of it`, async () => {
      service.answerLogin = () => service.answer(200, body);
      const error = await errorOf(client.login());
      expect(error.message).to.equal(
        'The answer to the login has no token or no reference. Check baseUrl and loginPath.',
      );
      expect(inspect(error, { depth: Infinity, showHidden: true })).not.to.contain('secret-token');
    });
  }

  it('fails with the texts of the refusal, without the password', async () => {
    service.answerLogin = () => service.answer(422, { message: `Not ${ACCOUNT.password}`, input: ACCOUNT });
    const error = await errorOf(client.fetch('/a'));
    expect(error).to.deep.include({ status: 422, message: 'Not ***', body: { message: 'Not ***' } });
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.to.contain(ACCOUNT.password);
  });

  for (const [title, answer, status, found] of [
    ['a 307', () => service.answer(307, ACCOUNT, { Location: 'https://evil.example' }), 307, '307'],
    ['a redirect whose status the platform hides, as browsers do', () => Response.error(), 0, '3xx'],
    ['a login that a fetch has sent to another address', () => redirected(service.success()), 200, '3xx'],
  ] as const) {
    it(`fails on ${title}, without the new address`, async () => {
      service.answerLogin = answer;
      const error = await errorOf(client.login());
      const message = `The service answered ${found}, a redirect. baseUrl or the path is wrong.`;
      const description = `${message} The request may have run or not.`;
      expect(error).to.deep.include({ status, message: description, body: { description } });
      expect(service.logins).to.have.length(1);
    });
  }

  it('has no request ID that repeats the password', async () => {
    for (const status of [400, 200]) {
      service.answerLogin = () => service.answer(status, {}, { 'X-Request-Id': `user:${ACCOUNT.password}` });
      expect(await errorOf(client.login())).to.include({ status, requestId: undefined });
    }
  });
});
