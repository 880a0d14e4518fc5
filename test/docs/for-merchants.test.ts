import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { catalogue } from '../../src/errors/catalogue.js';
import { serveApp } from '../example-app/serve-app.js';
import { EXPIRED_TOKEN, INVALID_TOKEN, WRONG_CREDENTIALS } from '../helpers/answers.js';
import { serve } from '../helpers/http.js';
import { blockOf, blocksOf, rowsOf, writeSnippets } from '../helpers/snippets.js';
import { declareUnavailable } from '../helpers/unavailable.js';
import { startTokenGateway, type TokenGateway } from './token-gateway.js';

const ENGLISH = 'docs/for-merchants.md';
const FRENCH = 'docs/fr/pour-les-marchands.md';

/** The texts that the French samples print, in English. */
const TRANSLATIONS = [
  ['Connexion : refercence_cl vaut', 'Logged in: refercence_cl is'],
  ['Création :', 'Created:'],
  ['Renvoi :', 'Repeated:'],
  ['Lecture :', 'Read:'],
  ['Usage :', 'Usage:'],
  ['COMMANDE', 'ORDER'],
] as const;

/** Samples that both pages link. The others are on each page. */
const FILES = path.resolve(__dirname, '../../client/samples');

/** The samples, and a command for each that succeeds where the programs that it needs are installed. */
const LANGUAGES = [
  {
    file: 'pay.sh',
    needs: 'bash and curl on Linux or macOS',
    command: 'bash',
    // In a bash on Windows, curl cannot read what the shell names /dev/fd/63.
    probe: ['-c', 'curl --version && [[ $OSTYPE == linux* || $OSTYPE == darwin* ]]'],
    keeps: 'file',
  },
  { file: 'pay.mjs', needs: 'Node.js', command: process.execPath, probe: ['--version'], keeps: 'memory' },
  {
    file: 'pay.php',
    needs: 'PHP with its extension curl',
    command: 'php',
    probe: ['-r', 'exit(extension_loaded("curl") ? 0 : 1);'],
    keeps: 'locked file',
  },
  { file: 'pay.py', needs: 'Python 3', command: 'python3', probe: ['-c', 'import fcntl'], keeps: 'locked file' },
] as const;

/** The words of each page for when to repeat a request. */
const REPEATS = {
  [ENGLISH]: { never: 'never unchanged', login: 'once, after a login', after: 'after `Retry-After`' },
  [FRENCH]: { never: 'jamais telle quelle', login: 'une fois, après reconnexion', after: 'après `Retry-After`' },
};

interface Ending {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const REQUEST_ID = /\(X-Request-Id: [\da-f-]{36}\)/;

/** Returns the blocks of a page with English texts, and without comments. */
function codeIn(page: string): string[] {
  const comment = /(?<=^|\s)(?:#|\/\/) .*$/gm;
  return blocksOf(page).map(({ text }) => {
    const english = TRANSLATIONS.reduce((code, [from, to]) => code.replaceAll(from, to), text);
    return english.replace(comment, '');
  });
}

/** Returns the variables that shell commands set to plain values. */
function variablesIn(commands: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...commands.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));
}

for (const page of [ENGLISH, FRENCH] as const)
  describe(page, () => {
    const [output] = blocksOf(page).filter(({ language }) => language === 'text');
    const [setting] = blocksOf(page).filter(({ language }) => language === 'sh');
    const variables = variablesIn(setting?.text ?? '');
    let folder: string;

    before('write the samples', () => {
      writeSnippets(page);
      folder = fs.mkdtempSync(path.join(os.tmpdir(), 'for-merchants-'));
    });

    after('remove the token files', () => fs.rmSync(folder, { recursive: true }));

    it('lists each error with its status, its message and when to repeat the request', () => {
      const rows = rowsOf(page, '`error`');
      const listed = rows.map(([code, status, message, , repeat]) => [code, status, message, repeat]);
      const errors = Object.entries(catalogue).map(([code, { status, message, retry }]) => [
        `\`${code}\``,
        String(status),
        message,
        REPEATS[page][retry],
      ]);
      expect(listed).to.deep.equal(errors);
      for (const [code, , , advice] of rows) expect(advice, code).not.to.equal('');
    });

    for (const { file, needs, command, probe, keeps } of LANGUAGES) {
      // Both pages link the same file.
      const isLinked = keeps === 'locked file';
      if (isLinked && page === FRENCH) continue;
      if (spawnSync(command, probe).status !== 0) {
        declareUnavailable(`${file}: needs ${needs}`, `There is no ${needs}.`);
        continue;
      }

      describe(file, () => {
        let gateway: TokenGateway;
        let tokenFile: string;

        beforeEach('start the example app', async () => {
          gateway = await startTokenGateway(await serve(serveApp().app));
          tokenFile = path.join(fs.mkdtempSync(path.join(folder, 'test-')), file);
        });

        /** Runs the sample with the environment that the page names. No output may hold the password or a token. */
        const run = async (order?: string, env: NodeJS.ProcessEnv = {}): Promise<Ending> => {
          const folderOf = isLinked ? FILES : path.resolve(__dirname, '.snippets', page.replace('.md', ''));
          const sample = path.join(folderOf, file);
          const options = {
            env: {
              ...process.env,
              no_proxy: '*',
              ...variables,
              API_URL: variables['API_URL']?.replace('localhost:3000', `localhost:${gateway.port}`),
              TOKEN_FILE: tokenFile,
              ...env,
            },
          };
          const args = order === undefined ? [sample] : [sample, order];
          const ending = await promisify(execFile)(command, args, options).then(
            ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
            (error: unknown) => error as Ending,
          );
          for (const text of [ending.stdout, ending.stderr]) expect(text).not.to.match(/baobab|eyJ/);
          return { ...ending, stderr: ending.stderr.replace(REQUEST_ID, '(ID)') };
        };

        const LOGIN = 'POST /v1/login 200';
        const PAYMENT = ['POST /v1/transactions 201', 'POST /v1/transactions 200', 'GET /v1/transactions/:id 200'];

        const [created = '', ...others] = PAYMENT;
        const REFUSED = 'POST /v1/transactions 401';
        const invalid = `401 ${INVALID_TOKEN}: ${catalogue[INVALID_TOKEN].description} (ID)\n`;
        const unknown = `401 ${WRONG_CREDENTIALS}: ${catalogue[WRONG_CREDENTIALS].description} (ID)\n`;

        it('takes the steps and prints the lines of the page', async () => {
          expect(await run('order-17')).to.include({ code: 0, stdout: output?.text, stderr: '' });
          expect(gateway.answered).to.deep.equal([LOGIN, ...PAYMENT]);
          if (keeps === 'memory') return;
          if (process.platform !== 'win32') expect(fs.statSync(tokenFile).mode & 0o777).to.equal(0o600);
          await run('order-18');
          expect(gateway.answered).to.deep.equal([LOGIN, ...PAYMENT, ...PAYMENT]);
        });

        // The code of the French samples is compared.
        if (page === FRENCH) return;
        it('logs in again on the first 401 and repeats the request once', async () => {
          gateway.refuse((use, token) => use > 1 && token === gateway.tokens[0]);
          expect(await run('order-17')).to.include({ code: 0, stdout: output?.text, stderr: '' });
          expect(gateway.answered).to.deep.equal([LOGIN, created, REFUSED, LOGIN, ...others]);
        });

        it('stops at a second 401 of the same request, and at a wrong password', async () => {
          gateway.refuse(() => true);
          expect(await run('order-17')).to.include({ code: 1, stderr: invalid });
          const wrong = { API_PASSWORD: 'not "the" \\ password', TOKEN_FILE: `${tokenFile}-2` };
          expect(await run('order-17', wrong)).to.include({ code: 1, stdout: '', stderr: unknown });
          expect(gateway.answered).to.deep.equal([LOGIN, REFUSED, LOGIN, REFUSED, 'POST /v1/login 401']);
        });

        it('does not repeat a payment after a 401 of its handler, which may have run', async () => {
          gateway.refusePayments(401, '{"error":"otp_required","description":"Send the code."}');
          const { code, stderr } = await run('order-17');
          expect([code, stderr.slice(0, 34)]).to.deep.equal([1, '401 otp_required: Send the code. (']);
          expect(gateway.answered).to.deep.equal([LOGIN, REFUSED]);
        });

        it('does not repeat a payment after an answer that its handler has relayed', async () => {
          const relayed = `{"status":"Error","success":false,"code":401,"error":"${EXPIRED_TOKEN}"}`;
          for (const [status, body, challenge] of [
            [401, `{"error":"${EXPIRED_TOKEN}","error_description":"The access token expired"}`],
            [401, `{"success":true,"error":"${EXPIRED_TOKEN}"}`],
            [401, relayed, 'Basic'],
            [401, relayed, 'Digest realm="www-authenticate: bearer"'],
            [401, `{"success":false,"detail":{"error":"${EXPIRED_TOKEN}"}}`],
            [
              401,
              `{"success":false,"message":"No \\",\\"error\\":\\"${EXPIRED_TOKEN}\\"","errors":[{"error":"${EXPIRED_TOKEN}"}]}`,
            ],
            [401, `<p>${relayed}</p>`],
            [401, ''],
            [502, relayed],
          ] as const) {
            gateway.refusePayments(status, body, challenge);
            const before = gateway.answered.length;
            expect(await run('order-17')).to.include({ code: 1 });
            const answered = gateway.answered.slice(before).filter((request) => request !== LOGIN);
            expect(answered, body).to.deep.equal([`POST /v1/transactions ${status}`]);
          }
        });

        it('fails with a message that names a missing argument or variable', async () => {
          const endings = [await run(), await run('order-17', { API_URL: undefined })];
          for (const ending of endings) expect(ending).to.include({ code: 1, stdout: '' });
          expect(endings[0]?.stderr).to.match(/Usage: .* ORDER/);
          expect(endings[1]?.stderr).to.match(/API_URL|baseUrl/);
        });

        it('sends the token to no other server, even after a redirect', async () => {
          const received: unknown[] = [];
          const other = await serve((req: IncomingMessage, res: ServerResponse) => {
            received.push(req.headers.authorization);
            res.writeHead(404).end('not JSON');
          });
          gateway.redirectReads(`http://127.0.0.1:${other.port}/`);
          const { code, stderr } = await run('order-17');
          expect(code).to.equal(1);
          expect(stderr).to.match(/^(302|404)\b.*\n$/);
          expect(received.filter((authorization) => authorization !== undefined)).to.deep.equal([]);
        });

        it('never uses the token of another account', async () => {
          await run('order-17');
          const env = { API_EMAIL: 'kofi@cantine.example', API_PASSWORD: 'calebasse-2026' };
          expect((await run('order-18', env)).stdout).to.include('refercence_cl is CNT-1002');
        });

        if (!isLinked) return;
        it('shares one new login among all workers', async () => {
          await run('order-17');
          const [ended] = gateway.tokens;
          gateway.refuse((_use, token) => token === ended);
          const endings = await Promise.all(Array.from({ length: 8 }, (_, worker) => run(`of-worker-${worker}`)));
          for (const ending of endings) expect(ending).to.include({ code: 0, stdout: output?.text });
          expect(gateway.answered.filter((request) => request === LOGIN)).to.have.lengthOf(2);
        });
      });
    }
  });

describe(ENGLISH, () => {
  for (const file of ['pay.sh', 'pay.php', 'pay.py']) {
    it(`names in ${file} the codes after which a client logs in again`, () => {
      const codes = Object.entries(catalogue).flatMap(([code, { retry }]) => (retry === 'login' ? [code] : []));
      const text = file === 'pay.sh' ? blockOf(ENGLISH, file) : fs.readFileSync(path.join(FILES, file), 'utf8');
      const [list] = /[^([]*missing_token[^)\]]*/.exec(text) ?? [];
      expect(list?.match(/\w+/g)).to.deep.equal(codes);
    });
  }
});

describe(FRENCH, () => {
  it('has the code of the English page, apart from comments and printed texts', () => {
    expect(codeIn(FRENCH)).to.deep.equal(codeIn(ENGLISH));
  });
});
