import { setFlagsFromString } from 'node:v8';
import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { useDictionaryMode } from '../../src/http/dictionary-mode.js';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';

setFlagsFromString('--allow-natives-syntax');
/** Returns true when V8 uses a hidden class for an object, and false when it uses a hash table. */
// oxlint-disable-next-line typescript/no-implied-eval -- the syntax is unknown to every parser but V8's
const hasHiddenClass = new Function('object', 'return %HasFastProperties(object)') as (object: object) => boolean;
const isCostly = Number.parseInt(process.versions.v8, 10) < 13;

onEachExpress('useDictionaryMode', (framework) => {
  /** Returns the results of `look` before login and guard, and after them. */
  async function seen(look: (...handler: Parameters<RequestHandler>) => unknown) {
    const views: unknown[] = [];
    const watch: RequestHandler = (req, res, next) => {
      views.push(look(req, res, next));
      next();
    };
    const { client, awa } = await servePayments(framework, { before: [watch], behind: [watch] });
    expect((await client.send('GET', '/v1/guarded', { headers: awa })).status).to.equal(200);
    return views;
  }

  it('changes guarded requests and their responses to hash tables, when hidden classes are costly', async () => {
    const views = await seen((req, res) => [hasHiddenClass(req), hasHiddenClass(res)]);
    expect(views).to.deep.equal([
      [true, true],
      [!isCostly, !isCostly],
    ]);
  });

  it('changes the requests and responses of logins too', async () => {
    let after: boolean[] = [];
    const watch: RequestHandler = (req, res, next) => {
      res.on('finish', () => (after = [hasHiddenClass(req), hasHiddenClass(res)]));
      next();
    };
    const { client } = await servePayments(framework, { before: [watch] });
    const answer = await client.send('POST', '/v1/login', { body: { email: AWA.email, password: PASSWORD } });
    expect(answer.status).to.equal(200);
    expect(after).to.deep.equal([!isCostly, !isCostly]);
  });
});

describe('useDictionaryMode', () => {
  const leave = useDictionaryMode as (req: object, res: object) => void;

  it('does not change objects that are not as Express makes them', () => {
    const res = {};
    const inherited = { get: () => res };
    const requests: object[] = [
      { url: '/' },
      { url: '/', res: {}, user: 1 },
      Object.assign(Object.defineProperty({}, 'res', { ...inherited, configurable: true }), { user: 1 }),
      Object.assign(Object.defineProperty({}, 'res', { value: res, writable: true }), { user: 1 }),
      Object.create(Object.defineProperty({}, 'res', inherited)) as object,
      Object.preventExtensions({ res, user: 1 }),
      Object.freeze({ res, user: 1 }),
    ];
    for (const req of requests) {
      const before = [hasHiddenClass(req), Object.getOwnPropertyDescriptors(req)];
      leave(req, res);
      expect([hasHiddenClass(req), Object.getOwnPropertyDescriptors(req)]).to.deep.equal(before);
    }
  });
});
