import { expect } from 'chai';
import type { AuthErrorBody, AuthErrorCode } from '../../src/index.js';
import { AWA } from '../helpers/accounts.js';
import { type Answer, bearer } from '../helpers/http.js';
import { logIn } from '../helpers/login-host.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import {
  GUARDED,
  LOGIN,
  type Operation,
  type Refusal,
  readGuarded,
  refusalsByCode,
  serveRefusingHost,
} from '../helpers/refusals.js';
import { answerChecker } from './answer-checker.js';
import { hostDocument, responseOf } from './host-document.js';

/** The seconds of an answer vary. */
function withoutSeconds(description: string): string {
  return description.replace(/ \d+ seconds/, ' N seconds');
}

/** The answers of the package are those of the document: their status, headers and bodies. */
onEachExpress('openApi describes', (framework) => {
  const byCode = refusalsByCode(framework);
  const document = hostDocument();
  const check = answerChecker(document);

  function exampleOf({ method, path }: Operation, status: number, code: AuthErrorCode): AuthErrorBody {
    const examples = responseOf(document, method, path, status)?.content['application/json']?.examples;
    return examples?.[code]?.value as AuthErrorBody;
  }

  for (const [code, refusals] of Object.entries(byCode) as [AuthErrorCode, readonly Refusal[]][]) {
    it(`each answer with ${code}, and has an example of it`, async () => {
      for (const [operation, send] of refusals) {
        const answer = await send(await serveRefusingHost(framework));
        const body = answer.json as AuthErrorBody;
        expect(check(operation, answer)).to.deep.equal([]);
        const example = exampleOf(operation, answer.status, code);
        const { description, errors } = body;
        expect(body).to.deep.equal({ ...example, description, ...(errors && { errors }) });
        // A broken body has a sentence of its route.
        if (code !== 'invalid_body') expect(withoutSeconds(description)).to.equal(withoutSeconds(example.description));
      }
    });
  }

  it('the answer to the example of a broken login exactly', async () => {
    const [[, send]] = byCode.invalid_body as [Refusal];
    expect((await send(await serveRefusingHost(framework))).json).to.deep.equal(exampleOf(LOGIN, 400, 'invalid_body'));
  });

  it('the answer to a good login', async () => {
    const { client } = await serveRefusingHost(framework);
    const answer = await logIn(client);
    expect(answer.status).to.equal(200);
    expect(check(LOGIN, answer)).to.deep.equal([]);
  });

  it('the challenges of another realm only with that realm', async () => {
    const { client } = await serveRefusingHost(framework, 'sandbox');
    const checkSandbox = answerChecker(hostDocument({ realm: 'sandbox' }));
    for (const [operation, answer] of [
      [LOGIN, await logIn(client, AWA.email, 'papaye-2026')],
      [GUARDED, await readGuarded(client)],
      [GUARDED, await readGuarded(client, bearer('a.b.c'))],
    ] as const) {
      expect(answer.headers['www-authenticate']).to.contain('realm="sandbox"');
      expect(checkSandbox(operation, answer)).to.deep.equal([]);
      const complaint = 'WWW-Authenticate must be equal to one of the allowed values';
      expect(check(operation, answer)).to.deep.equal([complaint]);
    }
  });

  it('no answer that differs from these', async () => {
    const { client } = await serveRefusingHost(framework);
    const answer = await logIn(client);
    const body = answer.json as object;
    const changed = (changes: Partial<Answer>) => check(LOGIN, { ...answer, json: body, ...changes });
    expect(changed({ status: 418 })).to.deep.equal(['status 418 is not described']);
    expect(changed({ headers: { ...answer.headers, 'cache-control': undefined } })).to.deep.equal([
      'Cache-Control is missing',
    ]);
    expect(changed({ headers: { ...answer.headers, 'content-type': 'text/html' } })).to.deep.equal([
      'text/html is not described',
    ]);
    expect(changed({ headers: { ...answer.headers, 'retry-after': '5' } })).to.deep.equal([
      'retry-after is not described',
    ]);
    expect(changed({ json: { ...body, token: 'x' } })).to.deep.equal(['body must NOT have additional properties']);
    expect(changed({ json: { ...body, code: 201 } })).to.deep.equal(['body/code must be equal to constant']);

    const refusal = await readGuarded(client);
    const changedError = (json: object) =>
      check(GUARDED, { ...refusal, json: { ...(refusal.json as object), ...json } });
    expect(changedError({ error: 'wrong_credentials' })).to.deep.equal([
      'body/error must be equal to one of the allowed values',
    ]);
    expect(changedError({ code: 403 })).to.deep.equal(['body/code must be equal to constant']);
    expect(changedError({ description: undefined })).to.deep.equal(["body must have required property 'description'"]);
  });
});
