import http from 'node:http';
import { expect } from 'chai';
import type { Application, RequestHandler } from 'express';
import type { Login, LoginOptions, LoginRouterOptions, PasswordsOptions, UserStore } from '../../src/index.js';
import { AWA, PASSWORD, WRONG } from './accounts.js';
import { expectWrongCredentials } from './answers.js';
import { FRAMEWORK } from './on-each-express.js';
import { type Answer, type Client, serve } from './http.js';
import { quickAccountStore, type QuickPasswords, quickPasswords } from './quick-passwords.js';

export interface LoginHostConfig extends LoginOptions, Pick<LoginRouterOptions, 'respond'> {
  /** Default: Express 5. */
  readonly framework?: typeof FRAMEWORK;
  /** Methods in place of those of `quickAccountStore()`. The test can change them while the host runs. */
  readonly store?: Partial<UserStore>;
  readonly hashing?: PasswordsOptions;
  /** Default: `'loopback'`, so that a login has the address that it is sent with. */
  readonly trustProxy?: unknown;
  readonly before?: readonly RequestHandler[];
}

interface LoginHost {
  readonly app: Application;
  readonly client: Client;
  readonly login: Login;
  /** The passwords of the host, unless the test gave `passwords`. */
  readonly quick: QuickPasswords;
  /** The identifiers that the store was asked for. */
  readonly asked: string[];
  /** The errors that reached the host's error handlers. Nothing is printed. */
  readonly hostErrors: unknown[];
  /** Logs in, by default as Awa with the right password. */
  readonly logIn: (email?: string, password?: string, address?: string) => Promise<Answer>;
  /** Sends so many wrong passwords, each another one, and expects a 401 each time. */
  readonly fail: (times: number, email?: string, address?: string) => Promise<void>;
}

/** Serves `POST /v1/login` over the accounts of `accounts.ts`, with `quickPasswords` unless the test gives others. */
export async function serveLogin(config: LoginHostConfig = {}): Promise<LoginHost> {
  const { framework = FRAMEWORK, store = {}, trustProxy = 'loopback', before = [], ...rest } = config;
  const { respond, hashing, ...given } = rest;
  const quick = quickPasswords(framework.auth.createPasswords, hashing);
  const asked: string[] = [];
  const options = { passwords: quick.passwords, ...given };
  const login = framework.auth.createLogin(recording(store, asked), options);
  const app = framework.express();
  // Express prints no error in this environment.
  app.set('env', 'test').set('trust proxy', trustProxy);
  for (const middleware of before) app.use(middleware);
  app.use('/v1', framework.auth.createLoginRouter(login, respond && { respond }));
  const hostErrors = collectHostErrors(app, framework.auth);
  const client = await serve(app);
  let guesses = 0;
  const fail: LoginHost['fail'] = async (times, email, address) => {
    for (let time = 0; time < times; time++) {
      expectWrongCredentials(await logIn(client, email, `${WRONG} ${guesses++}`, address));
    }
  };
  return {
    app,
    client,
    login,
    quick,
    asked,
    hostErrors,
    logIn: (...args) => logIn(client, ...args),
    fail,
  };
}

/**
 * Mounts the error handlers of a host, which print nothing.
 * @returns the errors that reach them
 */
export function collectHostErrors(app: Application, auth: typeof FRAMEWORK.auth): unknown[] {
  const errors: unknown[] = [];
  app.use((err: unknown, _req: unknown, _res: unknown, next: (err: unknown) => void) => {
    errors.push(err);
    next(err);
  });
  app.use(auth.authErrorHandler({ log: () => undefined }));
  return errors;
}

/** Returns another address for each number, in a /64 network that no other number has. */
export function addressOf(at: number): string {
  return `2001:db8:${(at >> 8).toString(16)}:${(at & 255).toString(16)}::1`;
}

/** Logs in over HTTP, from `address` through a proxy if there is one. */
export function logIn(client: Client, email = AWA.email, password = PASSWORD, address?: string): Promise<Answer> {
  const headers = address === undefined ? {} : { 'X-Forwarded-For': address };
  return client.send('POST', '/v1/login', { body: { email, password }, headers });
}

/** Sends a login on a new connection, and does not read the answer. The caller can disconnect before it. */
export function startLogin(port: number, email: string, password: string): { hangUp(): void } {
  const headers = { 'Content-Type': 'application/json' };
  const request = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/login', headers, agent: false });
  request.on('error', () => undefined);
  request.end(JSON.stringify({ email, password }));
  return {
    hangUp: () => void request.destroy(),
  };
}

export function tokenOf(answer: Answer): string {
  expect(answer.status, answer.text).to.equal(200);
  return (answer.json as { authorisation: { token: string } }).authorisation.token;
}

function recording(store: Partial<UserStore>, asked: string[]): UserStore {
  const accounts = quickAccountStore();
  const { replacePasswordHash } = store;
  return {
    findById: (id) => (store.findById ? store.findById(id) : accounts.findById(id)),
    findCredentials(identifier) {
      asked.push(identifier);
      return store.findCredentials ? store.findCredentials(identifier) : accounts.findCredentials(identifier);
    },
    ...(replacePasswordHash && { replacePasswordHash: replacePasswordHash.bind(store) }),
  };
}
