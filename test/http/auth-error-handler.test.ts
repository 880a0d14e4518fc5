import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { expectError, expectForeignReference, expectInvalidBody } from '../helpers/answers.js';
import { type Client, type Sending, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

onEachExpress('authErrorHandler', ({ auth, express }) => {
  /** A host with `middleware` in front; errors that the handler passes on are answered 599 with their message. */
  async function host(...middleware: RequestHandler[]): Promise<Client> {
    const app = express();
    for (const handler of middleware) app.use(handler);
    app.use(auth.authErrorHandler());
    app.use(
      (
        err: Error,
        _req: unknown,
        res: { headersSent: boolean; status(code: number): { end(text: string): void } },
        next: (err: unknown) => void,
      ) => {
        if (res.headersSent) next(err);
        else res.status(599).end(err.message);
      },
    );
    return serve(app);
  }
  const throwing =
    (error: unknown): RequestHandler =>
    (_req, _res, next) =>
      next(error);
  const post = (client: Client, sending: Sending) => client.send('POST', '/', { headers: JSON_TYPE, ...sending });

  it('renders an error of this package', async () => {
    const client = await host(throwing(new auth.AuthError('foreign_reference')));
    expectForeignReference(await client.send('GET', '/'));
  });

  it('says what each error says of itself, whatever was said before under its code', async () => {
    const description = 'Your till was moved.';
    for (const options of [{}, { description }, {}, { status: 403 }, { description, status: 403 }]) {
      const { status, text } = await (
        await host(throwing(new auth.AuthError('revoked_token', options)))
      ).send('GET', '/');
      const said = JSON.parse(text) as { code: number; description: string };
      const expected = { description: 'The token is no longer accepted. Log in again.', status: 401, ...options };
      expect([status, said.code, said.description]).to.deep.equal([
        expected.status,
        expected.status,
        expected.description,
      ]);
    }
  });

  it('says what an error of the host lists, or says in a way of its own, and to nobody else', async () => {
    const errors = [{ field: 'till', rule: 'required', message: 'till is required.' }] as const;
    const own = Object.assign(new auth.AuthError('account_disabled'), { toJSON: () => ({ own: true }) });
    class Subclass extends auth.AuthError {
      override toJSON() {
        return { ...super.toJSON(), message: 'Closed' };
      }
    }
    const thrown = [new auth.AuthError('account_disabled', { errors }), own, new Subclass('account_disabled')];
    const answers = [];
    for (const error of [...thrown, new auth.AuthError('account_disabled'), ...thrown]) {
      answers.push((await (await host(throwing(error))).send('GET', '/')).text);
    }
    expect(answers.slice(0, 3)).to.deep.equal(thrown.map((error) => JSON.stringify(error)));
    expect(answers[3]).to.equal(JSON.stringify(new auth.AuthError('account_disabled')));
    expect(answers.slice(4)).to.deep.equal(answers.slice(0, 3));
  });

  it('gives the failures of a parser of the host the same layout, with the status that the parser said', async () => {
    const client = await host(express.json({ limit: 100 }), express.urlencoded({ extended: false, parameterLimit: 2 }));
    expectInvalidBody(await post(client, { body: '{"a":' }), 'The body is not a valid JSON object or array.');
    const corrupt = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };
    expectInvalidBody(await post(client, { body: 'not gzip', headers: corrupt }), 'The body could not be read.');

    const tooLarge = {
      code: 413,
      error: 'invalid_body',
      message: 'Invalid request',
      description: 'The body is too large.',
    };
    expectError(await post(client, { body: JSON.stringify('x'.repeat(100)) }), tooLarge);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const tooMany = { ...tooLarge, description: 'The body could not be read.' };
    expectError(await post(client, { body: 'a=1&b=2&c=3', headers: form }), tooMany);

    const unsupported = { code: 415, error: 'unreadable_body', message: 'Unsupported media type' };
    const charset = { 'Content-Type': 'application/json; charset=iso-8859-1' };
    expectError(await post(client, { body: '{}', headers: charset }), {
      ...unsupported,
      description: 'The charset of the body is not supported. Send UTF-8.',
    });
    const encoding = { ...JSON_TYPE, 'Content-Encoding': 'rot13' };
    expectError(await post(client, { body: '{}', headers: encoding }), {
      ...unsupported,
      description: 'The Content-Encoding of the body is not supported.',
    });
  });

  it('passes on what a verify of the host threw', async () => {
    const zlibError = () => {
      throw Object.assign(new Error('bad signature'), { code: 'Z_DATA_ERROR', status: 400 });
    };
    const plainError = () => {
      throw new Error('bad signature');
    };
    for (const verify of [plainError, zlibError]) {
      const answer = await post(await host(express.json({ verify })), { body: '{}' });
      expect([answer.status, answer.text]).to.deep.equal([599, 'bad signature']);
    }
  });

  it('passes on every other error', async () => {
    const errors = [
      new Error('of the host'),
      Object.assign(new Error('of the host'), { status: 400 }),
      Object.assign(new Error('of the host'), { status: 413, code: 'LIMIT_FILE_SIZE' }),
      Object.assign(new Error('of the host'), { status: 500, type: 'stream.not.readable' }),
      Object.assign(new Error('of the host'), { status: 500, type: 'entity.parse.failed' }),
      Object.assign(new Error('of the host'), { status: 403, type: 'entity.verify.failed' }),
    ];
    for (const error of errors) {
      const answer = await (await host(throwing(error))).send('GET', '/');
      expect([answer.status, answer.text]).to.deep.equal([599, 'of the host']);
    }
  });

  it('leaves an answer alone that has begun, and passes the error on as it is', async () => {
    const error = new auth.AuthError('foreign_reference');
    const passedOn: unknown[] = [];
    const app = express();
    app.get('/', (_req, res, next) => {
      res.write('begun');
      next(error);
    });
    app.use(auth.authErrorHandler());
    app.use((err: unknown, _req: unknown, res: { end(): void }, _next: unknown) => {
      passedOn.push(err);
      res.end();
    });
    expect((await (await serve(app)).send('GET', '/')).text).to.equal('begun');
    expect(passedOn).to.deep.equal([error]);
  });
});
