import { MAX_ANSWER_BYTES } from './read-text.js';
import type { TokenCache } from './token-cache.js';

/** The options of `createMerchantClient`. */
export interface MerchantClientOptions {
  /**
   * The base address, which ends in the version (docs/interface.md 9): `https://api.example/v1`. Paths are appended to
   * it. Use `https:` unless the service is on this machine, because the password and the token are sent to it.
   */
  readonly baseUrl: string;
  /** The API email of the account (docs/interface.md 2.1). */
  readonly email: string;
  /** The API password (docs/interface.md 2.1). Keep it on a server: in a browser, every visitor can read it. */
  readonly password: string;
  /** The path of the login, below `baseUrl`. Default: `/login` (docs/interface.md 4). */
  readonly loginPath?: string | undefined;
  /**
   * Sends the requests. It must follow the Fetch standard, including redirects, so that it drops `Authorization` when the
   * origin changes. Default: the platform's `fetch`.
   */
  readonly fetch?: ((input: string | Request, init?: RequestInit) => Promise<Response>) | undefined;
  /**
   * Limits each request, in milliseconds. For a login and for `json` this includes the body of the answer. For `fetch`
   * it includes only that of a 401, so limit the body with your `signal`. A call can take several requests, for example a
   * login, the request and its repetition. Default: 30,000, because the service decides on a login within 15 seconds.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Limits the body of each answer that `json` reads, in bytes after decompression. A longer one rejects. Default:
   * 10,485,760 (10 MiB), because a small compressed answer can fill the memory of your process. A login always has
   * 1 MiB. For `fetch`, you read the body yourself.
   */
  readonly maxAnswerBytes?: number | undefined;
  /** Shares the token with other processes. Default: none, so each client logs in for itself. */
  readonly tokenCache?: TokenCache | undefined;
}

/** The options with their defaults. */
export type ClientConfig = {
  readonly [Name in keyof MerchantClientOptions]-?: NonNullable<MerchantClientOptions[Name]>;
};

type Rule = readonly [holds: (value: unknown) => boolean, advice: string];

/** Platforms run a timer of more milliseconds at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

const isFunction = (value: unknown) => typeof value === 'function';

/**
 * The rule for each option, with the advice for a wrong value. It does not quote the value, which can be a password.
 */
const RULES: Readonly<Record<keyof ClientConfig, Rule>> = {
  baseUrl: [isBaseUrl, 'must be a string like https://api.example/v1, without user, query and fragment'],
  email: [
    (value) => isText(value, 5) && String(value).includes('@'),
    'must be the API email: 5 to 255 characters with an @',
  ],
  password: [(value) => isText(value, 6), 'must be the API password: 6 to 255 characters'],
  loginPath: [(value) => isText(value, 1) && String(value).startsWith('/'), 'must be a path like /login'],
  fetch: [isFunction, "must be a function like the platform's fetch"],
  timeoutMs: [isTimeout, `must be a whole number of milliseconds from 1 to ${LONGEST_TIMER_MS}`],
  maxAnswerBytes: [
    (value) => Number.isSafeInteger(value) && Number(value) > 0,
    'must be a whole number of bytes from 1',
  ],
  tokenCache: [isCache, 'must be an object with the methods get and set'],
};

/**
 * Parses the options of `createMerchantClient`.
 * @throws TypeError that names the option and says what to give, without the value
 */
export function parseOptions(options: MerchantClientOptions): ClientConfig {
  const unknown = Object.keys(options ?? {}).find((name) => !Object.hasOwn(RULES, name));
  if (unknown !== undefined)
    throw mistake(`unknown option "${unknown}". Known options: ${Object.keys(RULES).join(', ')}`);
  const config: ClientConfig = {
    ...options,
    loginPath: options?.loginPath ?? '/login',
    // Read at each call, because tools and tests replace the global later.
    fetch: options?.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs: options?.timeoutMs ?? 30_000,
    maxAnswerBytes: options?.maxAnswerBytes ?? MAX_ANSWER_BYTES,
    tokenCache: options?.tokenCache ?? { get: () => undefined, set: () => undefined },
  };
  for (const [name, [holds, advice]] of Object.entries(RULES)) {
    if (!holds(config[name as keyof ClientConfig])) throw mistake(`${name} ${advice}`);
  }
  return { ...config, baseUrl: config.baseUrl.replace(/\/+$/, '') };
}

/** Makes the error of a developer's mistake. */
export function mistake(message: string): TypeError {
  return new TypeError(`createMerchantClient: ${message}.`);
}

function isBaseUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(value);
}

/** The limits of docs/interface.md 8. The service counts code points. */
function isText(value: unknown, least: number): boolean {
  if (typeof value !== 'string') return false;
  const { length } = Array.from(value);
  return length >= least && length <= 255;
}

function isTimeout(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= LONGEST_TIMER_MS;
}

function isCache(value: unknown): boolean {
  const { get, set } = Object(value) as Readonly<Record<keyof TokenCache, unknown>>;
  return isFunction(get) && isFunction(set);
}
