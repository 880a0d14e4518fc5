import { expect } from 'chai';
import type { AuthErrorBody, AuthErrorCode } from '../../src/index.js';
import { refusalsOf } from '../../src/openapi/responses.js';
import { AWA, FERMEE } from '../helpers/accounts.js';
import { INVALID_BODY } from '../helpers/answers.js';
import { type Answer, bearer } from '../helpers/http.js';
import { logIn } from '../helpers/login-host.js';
import { FRAMEWORK } from '../helpers/on-each-express.js';
import {
  GUARDED,
  LOGIN,
  type Operation,
  postLogin,
  readGuarded,
  refusalsIn,
  serveRefusingHost,
} from '../helpers/refusals.js';
import { answerChecker } from './answer-checker.js';
import { hostDocument, responseOf } from './host-document.js';

/** Replaces the values that differ from answer to answer. */
function withoutValues(description: string): string {
  return description.replace(/ \d+ seconds/, ' N seconds').replace(/ \d+\.\d+\.\d+\.\d+\./, ' A.');
}

/** The answers of the package are those of the document: their status, headers and bodies. */
describe('openApi describes', () => {
  const document = hostDocument();
  const check = answerChecker(document);

  function exampleOf({ method, path }: Operation, status: number, code: AuthErrorCode): AuthErrorBody {
    const examples = responseOf(document, method, path, status)?.content['application/json']?.examples;
    return examples?.[code]?.value as AuthErrorBody;
  }

  it('each refusal, and has an example of it and of no other', async () => {
    const provoked = new Set<string>();
    for (const [operation, send] of refusalsIn(FRAMEWORK)) {
      // The document describes only POST.
      if (operation.path === LOGIN.path && operation.method !== LOGIN.method) continue;
      const answer = await send(await serveRefusingHost(FRAMEWORK));
      const body = answer.json as AuthErrorBody;
      provoked.add(`${operation.path === LOGIN.path ? 'Login' : 'Request'} ${answer.status} ${body.error}`);
      expect(check(operation, answer), body.error).to.deep.equal([]);
      const example = exampleOf(operation, answer.status, body.error);
      const { description, errors } = body;
      expect(body).to.deep.equal({ ...example, description, ...(errors && { errors }) });
      // A broken body has a sentence of its route.
      if (body.error !== INVALID_BODY) {
        expect(withoutValues(description)).to.equal(withoutValues(example.description));
      }
    }
    const described = (['Login', 'Request'] as const).flatMap((operation) =>
      refusalsOf(operation, 'merchant', 'refercence_cl').flatMap(({ status, response }) =>
        Object.keys(response.content['application/json'].examples).map((code) => `${operation} ${status} ${code}`),
      ),
    );
    expect([...provoked]).to.have.members(described);
  });

  it('the answer to the example of a broken login exactly', async () => {
    const { client } = await serveRefusingHost(FRAMEWORK);
    const { json } = await postLogin(client, { email: 'merchant.shop.example' });
    expect(json).to.deep.equal(exampleOf(LOGIN, 400, (json as AuthErrorBody).error));
  });

  it('the challenges of another realm only with that realm', async () => {
    const { client } = await serveRefusingHost(FRAMEWORK, 'sandbox');
    const checkSandbox = answerChecker(hostDocument({ realm: 'sandbox' }));
    for (const [operation, answer] of [
      [LOGIN, await logIn(client, AWA.email, 'papaye-2026')],
      [LOGIN, await logIn(client, FERMEE.email)],
      [GUARDED, await readGuarded(client)],
      [GUARDED, await readGuarded(client, bearer('a.b.c'))],
    ] as const) {
      expect(answer.headers['www-authenticate']).to.contain('realm="sandbox"');
      expect(checkSandbox(operation, answer)).to.deep.equal([]);
      const complaint = 'WWW-Authenticate must be equal to one of the allowed values';
      expect(check(operation, answer)).to.deep.equal([complaint]);
    }
  });

  it('the answer to a good login, and no answer that differs from it', async () => {
    const { client } = await serveRefusingHost(FRAMEWORK);
    const answer = await logIn(client);
    expect([answer.status, check(LOGIN, answer)]).to.deep.equal([200, []]);
    const { headers, json } = answer as Answer & { json: object };
    for (const [change, complaint] of [
      [{ status: 418 }, 'status 418 is not described'],
      [{ headers: { ...headers, 'cache-control': undefined } }, 'Cache-Control is missing'],
      [{ headers: { ...headers, 'content-type': 'text/html' } }, 'text/html is not described'],
      [{ headers: { ...headers, 'retry-after': '5' } }, 'retry-after is not described'],
      [{ json: { ...json, token: 'x' } }, 'body must NOT have additional properties'],
      [{ json: { ...json, code: 201 } }, 'body/code must be equal to constant'],
    ] as const) {
      expect(check(LOGIN, { ...answer, ...change })).to.deep.equal([complaint]);
    }
  });
});
