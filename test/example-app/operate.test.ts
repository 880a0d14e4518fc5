import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { Readable } from 'node:stream';
import { mock } from 'node:test';
import { expect } from 'chai';
import pg from 'pg';
import { operate } from '../../example-app/src/operate/operate.js';
import { MerchantStore } from '../../example-app/src/stores/merchant-store.js';
import { expectAccountDisabled, expectRevokedToken, expectWrongCredentials } from '../helpers/answers.js';
import { onEachDatabase, withPostgres } from '../helpers/databases.js';
import { withRedis } from '../helpers/redis.js';
import { rowsOf } from '../helpers/snippets.js';
import { rejectionOf } from '../helpers/thrown.js';
import { AWA, expectThrottled, idsOf, list, logIn, tryLogIn } from './calls.js';
import { serveAppOver } from './serve-app.js';

const OPERATE = path.resolve(__dirname, '../../example-app/dist/operate.js');
const NEW = 'mangue-2027-verte';

/** The commands on the page, by their first word, as lists of arguments. A row without one says what else to do. */
const commands = Object.fromEntries(
  rowsOf('docs/operations.md', 'problem').flatMap(([, command = '']) => {
    const args = command.replaceAll('`', '').split(' ');
    return command.startsWith('`') ? [[args[0], args] as [string, string[]]] : [];
  }),
);

/** Runs a command in this process, with a text on stdin. */
function run(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}, input = `${NEW}\n`): Promise<string> {
  const stdin = mock.method(process, 'stdin', () => Readable.from([Buffer.from(input)]), { getter: true });
  return operate(['merchant', ...args], { ...process.env, ...env }).finally(() => stdin.mock.restore());
}

onEachDatabase("example-app: the operator's command", (database) => {
  withRedis('and Redis', (redis) => {
    const env: NodeJS.ProcessEnv = {
      DATABASE_URL: database.url,
      REDIS_URL: `redis://${redis.host}:${redis.port}/?keyPrefix=${redis.keyPrefix}:`,
    };

    /** Runs `node example-app/dist/operate.js`. */
    function start(args: readonly string[], more: NodeJS.ProcessEnv = {}) {
      const options = { env: { ...process.env, ...env, ...more }, input: `${NEW}\n`, encoding: 'utf8' } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, [OPERATE, 'merchant', ...args], options);
      return { status, stdout, stderr };
    }

    async function expectDone(args: readonly string[] | undefined): Promise<void> {
      expect(await run(args, env))
        .to.match(/^[^\n]+\.$/)
        .and.not.include(NEW);
    }

    const add = ['add', 'new@shop.example', '--referencl', 'NEW-1'];
    before('add a merchant', () => {
      expect(start(add))
        .to.deep.include({ status: 0, stderr: '' })
        .and.property('stdout')
        .match(/^[^\n]+\.\n$/);
    });

    it('adds no demo account, and prints one sentence about a refusal', () => {
      const stderr = `There is no merchant with the email ${AWA.email}.\n`;
      expect(start(['disable', AWA.email], { SEED_DEMO: '1' })).to.deep.equal({ status: 1, stdout: '', stderr });
    });

    it('does each row of the table of problems while the app runs', async () => {
      const { app } = await serveAppOver(env);
      const { add: addAma, disable, enable, password, 'log-out': logOut, unlock = [], ...others } = commands;
      expect(others).to.deep.equal({});

      await expectDone(addAma);
      await logIn(app, { email: addAma?.[1], password: NEW });

      let awa = await logIn(app);
      await expectDone(disable);
      expectRevokedToken(await list(app, awa));
      expectAccountDisabled(await tryLogIn(app, AWA));
      await expectDone(enable);
      expect(idsOf(await list(app, awa))).to.deep.equal([]);

      await expectDone(password);
      expectRevokedToken(await list(app, awa));
      expectWrongCredentials(await tryLogIn(app, AWA));
      const changed = { ...AWA, password: NEW };
      awa = await logIn(app, changed);

      await expectDone(logOut);
      expectRevokedToken(await list(app, awa));
      for (let guess = 0; guess < 10; guess++) {
        expectWrongCredentials(await tryLogIn(app, { ...AWA, password: `${AWA.password} ${guess}` }));
      }
      expectThrottled(await tryLogIn(app, changed));
      await expectDone(unlock.map((arg) => arg.replace('203.0.113.7', '127.0.0.1')));
      expect(idsOf(await list(app, await logIn(app, changed)))).to.deep.equal([]);
    });

    const unlock = ['unlock', 'new@shop.example'];
    for (const [problem, args, sentence, given = {}, input] of [
      ['an unknown email', ['disable', 'nobody@shop.example'], 'There is no merchant with the email nobody@'],
      ['an email that the login refuses', add.with(1, 'a@bc'), 'EMAIL must be an email'],
      [
        'an email that exists in another letter case',
        [...add.with(1, 'New@shop.example')],
        'new@shop.example exists al',
      ],
      ['no reference', add.slice(0, 2), '--referencl must be'],
      [
        'a reference after a space',
        ['add', 'two@shop.example', '--referencl', ' Z'],
        '--referencl begins or ends with',
      ],
      ['an email before a zero-width space', add.with(1, 'two@shop.example\u200B'), 'EMAIL begins or ends with white'],
      ['a short password', add.with(1, 'two@shop.example'), 'Write the password to stdin, ', {}, 'short'],
      [
        'a password after a byte order mark',
        add.with(1, 'two@shop.example'),
        'Write the pass',
        {},
        '\uFEFFmangue-verte',
      ],
      ['a password that is not UTF-8', add.with(1, 'two@shop.example'), 'Write the pass', {}, 'mangue-\uFFFD-verte'],
      ['no password', ['password', 'new@shop.example'], 'Write the password to stdin, ', {}, ''],
      ['a password as an argument', ['password', 'new@shop.example', NEW], 'Usage: node '],
      ['a password as an option', ['password', 'new@shop.example', `--${NEW}`], 'Usage: node '],
      ['an option of another command', ['disable', 'new@shop.example', '--source', '::1'], 'Usage: node '],
      ['no database', unlock, 'DATABASE_URL is not set, ', { DATABASE_URL: '' }],
      ['no Redis', unlock, 'REDIS_URL is not set: ', { REDIS_URL: '' }],
      [
        'a Redis that is away',
        unlock,
        'The Redis of REDIS_URL does not answer. ',
        { REDIS_URL: 'redis://127.0.0.1:1' },
      ],
      ['no secret', unlock, 'JWT_SECRET is not set. ', { JWT_SECRET: '' }],
    ] as [string, string[], string, NodeJS.ProcessEnv?, string?][]) {
      it(`refuses ${problem} with a sentence, and changes nothing`, async () => {
        const before = await database.query('SELECT * FROM merchants');
        const { message } = (await rejectionOf(run(args, { ...env, ...given }, input))) as Error;
        expect(message.slice(0, sentence.length)).to.equal(sentence);
        expect(message).not.to.include(NEW);
        expect(await database.query('SELECT * FROM merchants')).to.deep.equal(before);
      });
    }
  });
});

withPostgres("example-app: the operator's command, over a database that does not close", (database) => {
  it('says why it failed, and then that the database did not close', async () => {
    const close = pg.Pool.prototype.end;
    const closing = mock.method(pg.Pool.prototype, 'end', async function (this: pg.Pool) {
      await Reflect.apply(close, this, []);
      throw new Error('still busy');
    });
    const failed = rejectionOf(run(['disable', AWA.email], { DATABASE_URL: database.url }));
    const { message } = (await failed.finally(() => closing.mock.restore())) as Error;
    expect(message).to.equal(
      `There is no merchant with the email ${AWA.email}.\nThe database did not close: still busy`,
    );
  });
});

it('example-app: a new password and the end of all tokens are one statement', async () => {
  const ran: string[] = [];
  const store = new MerchantStore((sql) => Promise.resolve(ran.push(sql)), 'now()');
  await store.setPassword(AWA.email, 'a hash');
  expect(ran).to.deep.equal(['UPDATE merchants SET password_hash = ?, tokens_valid_after = now() WHERE email = ?']);
});
