import { setFlagsFromString } from 'node:v8';
import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { leaveHiddenClasses } from '../../src/http/hidden-classes.js';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';

setFlagsFromString('--allow-natives-syntax');
/** Whether V8 keeps the properties of an object by a hidden class; else in a hash table. */
// eslint-disable-next-line @typescript-eslint/no-implied-eval -- the syntax is unknown to every parser but V8's
const hasHiddenClass = new Function('object', 'return %HasFastProperties(object)') as (object: object) => boolean;
const isCostly = Number.parseInt(process.versions.v8, 10) < 13;

onEachExpress('leaveHiddenClasses', (framework) => {
  /** What two handlers see, one in front of login and guard and one behind them. */
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

  it('has V8 keep guarded requests and their responses in hash tables, where hidden classes are costly', async () => {
    const views = await seen((req, res) => [hasHiddenClass(req), hasHiddenClass(res)]);
    expect(views).to.deep.equal([
      [true, true],
      [!isCostly, !isCostly],
    ]);
  });

  it('does so for logins too', async () => {
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

  it('leaves what ties them to each other as Express made it', async () => {
    const views = await seen((req, res) => [
      req.res === res,
      res.req === req,
      Object.getOwnPropertyDescriptor(req, 'res')?.writable,
      Object.keys(req).includes('res'),
      Object.keys(res).includes('req'),
    ]);
    expect(views).to.deep.equal([
      [true, true, true, true, true],
      [true, true, true, true, true],
    ]);
  });
});

describe('leaveHiddenClasses', () => {
  it('leaves alone what Express did not tie together', () => {
    const inherited = Object.create({
      get res(): object {
        return response;
      },
    }) as object;
    const response: object = { req: inherited };
    const pairs: [object, object][] = [
      [{ url: '/' }, { statusCode: 200 }],
      [
        { url: '/', res: {} },
        { statusCode: 200, req: {} },
      ],
      [inherited, response],
    ];
    for (const [req, res] of pairs) {
      const before = [Object.getOwnPropertyDescriptors(req), Object.getOwnPropertyDescriptors(res)];
      leaveHiddenClasses(req as never, res as never);
      expect([hasHiddenClass(req), hasHiddenClass(res)]).to.deep.equal([true, true]);
      expect([Object.getOwnPropertyDescriptors(req), Object.getOwnPropertyDescriptors(res)]).to.deep.equal(before);
    }
  });
});
