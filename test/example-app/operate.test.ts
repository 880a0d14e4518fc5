import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';
import { MerchantStore } from '../../example-app/src/stores/merchant-store.js';
import { expectAccountDisabled, expectRevokedToken, expectWrongCredentials } from '../helpers/answers.js';
import { onEachDatabase } from '../helpers/databases.js';
import { withRedis } from '../helpers/redis.js';
import { rowsOf } from '../helpers/snippets.js';
import { SECRET, startApp } from './app-process.js';
import { AWA, expectThrottled, idsOf, list, logIn, tryLogIn } from './calls.js';

const OPERATE = path.resolve(__dirname, '../../example-app/dist/operate.js');
const NEW = 'mangue-2027-verte';

/** The commands on the page, by their first word, as lists of arguments. A row without one says what else to do. */
const commands = Object.fromEntries(
  rowsOf('docs/operations.md', 'problem').flatMap(([, command = '']) => {
    const args = command.replaceAll('`', '').split(' ');
    return command.startsWith('`') ? [[args[0], args] as [string, string[]]] : [];
  }),
);

/** Runs the command with a password on stdin, and asserts that it prints no password. */
function operate(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}, input = `${NEW}\n`) {
  const options = { env: { ...process.env, JWT_SECRET: SECRET, ...env }, input, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [OPERATE, 'merchant', ...args], options);
  for (const secret of [NEW, 'geheim']) expect(stdout + stderr).not.to.include(secret);
  return { status, stdout, stderr };
}

onEachDatabase("example-app: the operator's command", (database) => {
  withRedis('and Redis', (redis) => {
    const env: NodeJS.ProcessEnv = {
      DATABASE_URL: database.url,
      REDIS_URL: `redis://${redis.host}:${redis.port}/?keyPrefix=${redis.keyPrefix}:`,
    };

    function expectDone(args: readonly string[] | undefined): void {
      expect(operate(args, env))
        .to.deep.include({ status: 0, stderr: '' })
        .and.property('stdout')
        .match(/^[^\n]+\.\n$/);
    }

    const add = ['add', 'new@shop.example', '--referencl', 'NEW-1'];
    before('add a merchant', () => {
      expectDone(add);
    });

    it('adds no demo account', () => {
      const { stderr } = operate(['disable', AWA.email], { ...env, SEED_DEMO: '1' });
      expect(stderr).to.equal(`There is no merchant with the email ${AWA.email}.\n`);
    });

    it('does each row of the table of problems on two running processes', async () => {
      const clients = (await Promise.all([1, 2].map(() => startApp({ ...env, SEED_DEMO: '1' })))).map(
        (app) => app.client,
      );
      const [one, other] = clients as [(typeof clients)[0], (typeof clients)[0]];
      const { add: addAma, disable, enable, password, 'log-out': logOut, unlock = [], ...others } = commands;
      expect(others).to.deep.equal({});

      expectDone(addAma);
      await logIn(other, { email: addAma?.[1], password: NEW });

      let awa = await logIn(one);
      expectDone(disable);
      for (const client of clients) expectRevokedToken(await list(client, awa));
      expectAccountDisabled(await tryLogIn(other, AWA));
      expectDone(enable);
      expect(idsOf(await list(other, awa))).to.deep.equal([]);

      expectDone(password);
      for (const client of clients) expectRevokedToken(await list(client, awa));
      expectWrongCredentials(await tryLogIn(other, AWA));
      const changed = { ...AWA, password: NEW };
      awa = await logIn(other, changed);

      expectDone(logOut);
      for (const client of clients) expectRevokedToken(await list(client, awa));
      for (let guess = 0; guess < 10; guess++) {
        expectWrongCredentials(await tryLogIn(one, { ...AWA, password: `${AWA.password} ${guess}` }));
      }
      expectThrottled(await tryLogIn(other, changed));
      expectDone(unlock.map((arg) => arg.replace('203.0.113.7', '127.0.0.1')));
      expect(idsOf(await list(other, await logIn(other, changed)))).to.deep.equal([]);
    });

    const unlock = ['unlock', 'new@shop.example'];
    const away = new URL(database.url);
    [away.port, away.password] = ['1', 'geheim'];
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
      ['a source in words', [...unlock, '--source', 'here'], 'login.forgive: source must be an address'],
      ['no database', unlock, 'DATABASE_URL is not set, ', { DATABASE_URL: '' }],
      ['a database that is away', unlock, 'The database of DATABASE_URL cannot be used: ', { DATABASE_URL: away.href }],
      ['no Redis', unlock, 'REDIS_URL is not set: ', { REDIS_URL: '' }],
      [
        'a Redis that is away',
        unlock,
        'The Redis of REDIS_URL does not answer. ',
        { REDIS_URL: 'redis://127.0.0.1:1' },
      ],
      ['no secret', unlock, 'JWT_SECRET is not set. ', { JWT_SECRET: '' }],
    ] as [string, string[], string, NodeJS.ProcessEnv?, string?][]) {
      it(`refuses ${problem} with a sentence and the exit code 1, and changes nothing`, async () => {
        const before = await database.query('SELECT * FROM merchants');
        const { status, stdout, stderr } = operate(args, { ...env, ...given }, input);
        expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
        expect(stderr.slice(0, sentence.length)).to.equal(sentence);
        expect(await database.query('SELECT * FROM merchants')).to.deep.equal(before);
      });
    }
  });
});

it('example-app: a new password and the end of all tokens are one statement', async () => {
  const ran: string[] = [];
  const store = new MerchantStore((sql) => Promise.resolve(ran.push(sql)), 'now()');
  await store.setPassword(AWA.email, 'a hash');
  expect(ran).to.deep.equal(['UPDATE merchants SET password_hash = ?, tokens_valid_after = now() WHERE email = ?']);
});
