// Compares the tricks of the package with the same package without each of them, on the runtime that runs this file.
// Prints the time of a guarded request with and without the trick, which includes the client of this process.
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { createRequire } from 'node:module';
import path from 'node:path';
import express from 'express';
import pg from 'pg';

process.env.JWT_SECRET = 'the secret of this host, which has 32 bytes or more';

const [CONNECTIONS, SLICE_MS, WARM_UP_BLOCKS, BLOCKS] = [32, 50, 16, 30];
const load = createRequire(import.meta.url);
const accountOf = (id) => ({
  id,
  email: `${id}@a`,
  phone: '',
  marchand: { referencl: id, statut: 1 },
  disabled: false,
});
const ACCOUNTS = Array.from({ length: CONNECTIONS }, (_, number) => accountOf(String(number)));
const inMemory = { findCredentials: async () => null, findById: async (id) => ACCOUNTS[id] ?? null };

/** The files of the tricks, and what does the same without the trick. */
const WITHOUT = {
  'dictionary mode': ['http/dictionary-mode.js', 'exports.useDictionaryMode = () => undefined;'],
  'next phase': ['http/next-phase.js', 'exports.inNextPhase = (run) => run();'],
  'private field': [
    'ownership/private-field.js',
    'const values = new WeakMap(); exports.PrivateField = { get: (key) => values.get(key), set: (key, value) => values.set(key, value) };',
  ],
};

/** Copies the package beside itself with one other file, and loads the copy. */
function packageWith([file, text]) {
  const folder = mkdtempSync('node_modules/without-');
  cpSync('node_modules/express-merchant-auth', folder, { recursive: true, dereference: true });
  if (!readFileSync(path.join(folder, 'dist', file), 'utf8').includes('exports.')) throw new Error(file);
  writeFileSync(path.join(folder, 'dist', file), text);
  const loaded = load(path.resolve(folder, 'dist/index.js'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  return loaded;
}

/** Serves a guarded POST. Returns the function that sends to it for a while and resolves to the requests per second. */
async function serve(auth, userStore) {
  const app = express();
  app.use(auth.requireBearer({ userStore }));
  app.post('/', auth.requireOwnReference(), (req, res) => res.json({ referencl: auth.merchantOf(req).referencl }));
  app.use(auth.authErrorHandler());
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const tokens = auth.createTokens();
  const callers = ACCOUNTS.map((account) => {
    const body = JSON.stringify({ refercence_cl: account.id, amount: 1500 });
    const head = `POST / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tokens.issue(account)}\r\nContent-Type: application/json`;
    const socket = net.connect(server.address().port, '127.0.0.1').setEncoding('latin1');
    return { socket, request: `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}` };
  });
  return async () => {
    const startedAt = performance.now();
    let answered = 0;
    await Promise.all(
      callers.map(async ({ socket, request }) => {
        while (performance.now() < startedAt + SLICE_MS) {
          socket.write(request);
          const [text] = await once(socket, 'data');
          if (!text.startsWith('HTTP/1.1 200 ')) throw new Error(text);
          answered += 1;
        }
      }),
    );
    return ((performance.now() - startedAt) / answered) * 1_000;
  };
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)].toFixed(0);

async function compare(name, withIt, withoutIt) {
  const times = [[], []];
  for (let block = -WARM_UP_BLOCKS; block < BLOCKS; block += 1) {
    for (const side of block % 2 ? [0, 1] : [1, 0]) {
      const time = await [withIt, withoutIt][side]();
      if (block >= 0) times[side].push(time);
    }
  }
  console.log(`paired: ${name}: ${median(times[0])} µs a request with it, ${median(times[1])} µs without`);
}

const auth = load('express-merchant-auth');
for (const [name, edit] of Object.entries(WITHOUT)) {
  await compare(name, await serve(auth, inMemory), await serve(packageWith(edit), inMemory));
}
const pool = new pg.Pool({ connectionString: process.env.TEST_DATABASE_URL });
const inDatabase = {
  findCredentials: async () => null,
  findById: async (id) => accountOf((await pool.query('SELECT $1::text AS id', [id])).rows[0].id),
};
const findByIds = async (ids) =>
  (await pool.query('SELECT unnest($1::text[]) AS id', [ids])).rows.map(({ id }) => accountOf(id));
await compare('batched reads', await serve(auth, { ...inDatabase, findByIds }), await serve(auth, inDatabase));
process.exit();
