import { inspect } from 'node:util';
import { expect } from 'chai';
import { MerchantApiError, type MerchantClient } from '../src/index.js';
import { freezeTime } from '../../test/helpers/frozen-time.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { settle } from '../../test/helpers/until.js';
import { ACCOUNT, clientOf, type Sent, type StubService, stubService, successBody } from './stub-service.js';

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
      return service.answer(status, { error: 'too_busy' }, seconds === undefined ? {} : { 'Retry-After': seconds });
    };
  }

  it('sends the email and the password, to one address only', async () => {
    const { password, email } = ACCOUNT;
    expect(await client.login()).to.deep.equal(successBody('token-1'));
    const [{ input, init }] = service.logins as [Sent];
    expect([input, init.method, init.redirect]).to.deep.equal(['https://api.example/v1/login', 'POST', 'error']);
    expect(init.headers).to.deep.equal({ 'Content-Type': 'application/json' });
    expect(JSON.parse(init.body as string)).to.deep.equal({ email, password });
  });

  it('rejects for all callers that share a refused login, and the next call tries again', async () => {
    service.answerLogin = () => service.answer(401, { error: 'wrong_credentials', description: 'The email is wrong.' });
    const calls = [client.fetch('/a'), client.fetch('/b'), client.referencl(), client.login()];
    for (const { status, error, message } of await Promise.all(calls.map(errorOf))) {
      expect([status, error, message]).to.deep.equal([401, 'wrong_credentials', 'The email is wrong.']);
    }
    expect([service.logins.length, service.calls.length]).to.deep.equal([1, 0]);

    service.answerLogin = () => service.success();
    expect((await client.fetch('/a')).status).to.equal(200);
    expect(service.logins).to.have.length(2);
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
    ['a Retry-After over 30 seconds', 429, '31'],
    ['a 503 without Retry-After', 503, undefined],
    ['a 500 with Retry-After', 500, '1'],
    ['a 401 with Retry-After', 401, '1'],
  ] as const) {
    it(`does not wait after ${title}`, async () => {
      refuse(status, retryAfter);
      const error = await errorOf(client.login());
      expect([error.status, error.retryAfterSeconds]).to.deep.equal([status, retryAfter && Number(retryAfter)]);
      expect(service.logins).to.have.length(1);
    });
  }

  it('waits only once: the second refusal goes to the callers', async () => {
    const time = freezeTime();
    refuse(503, '1', '2');
    const refused = errorOf(client.login());
    await settle();
    time.pass(1);
    expect((await refused).retryAfterSeconds).to.equal(2);
    expect(service.logins).to.have.length(2);
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

  it('hides the password when the service repeats it', async () => {
    const password = 'bao"bab\\2026';
    service.answerLogin = () => service.answer(400, { description: `Bad: ${password}`, input: { password } });
    const { description, body } = await errorOf(clientOf(service, { password }).login());
    expect(description).to.equal('Bad: ***');
    expect(body).to.deep.equal({ description: 'Bad: ***', input: { password: '***' } });
  });
});
