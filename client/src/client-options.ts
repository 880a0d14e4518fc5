import { MAX_ANSWER_BYTES } from './read-text.js';
import type { TokenCache } from './token-cache.js';

/** The options of `createMerchantClient`. */
export interface MerchantClientOptions {
  /**
   * The base address, which ends in the version (docs/interface.md 9): `https://api.example/v1`. Use `https:` unless
   * the service is on this machine: the password and the token are sent.
   */
  readonly baseUrl: string;
  /** The account's API email (docs/interface.md 2.1). White space at its ends is removed. */
  readonly email: string;
  /** The API password (docs/interface.md 2.1). Keep it on a server: in a browser, visitors can read it. */
  readonly password: string;
  /** The login's path below `baseUrl`. Default: `/login` (docs/interface.md 4). */
  readonly loginPath?: string | undefined;
  /**
   * Sends the requests. Must drop `Authorization` when a redirect changes the origin, as the Fetch standard says.
   * Default: the platform's `fetch`.
   */
  readonly fetch?: ((input: string | Request, init?: RequestInit) => Promise<Response>) | undefined;
  /**
   * Limits each request with the body of its answer, in milliseconds. With `fetch`, limit bodies other than a 401's
   * with your `signal`. A call can take a login, the request and its repetition. Default: 30,000. A service decides on
   * a login within 26 seconds by default.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Limits each body that `json` reads, in bytes after decompression. A longer one rejects. Default: 10,485,760 (10
   * MiB). A login always has 1 MiB.
   */
  readonly maxAnswerBytes?: number | undefined;
  /** Shares the token with other processes. Default: none, so each client logs in for itself. */
  readonly tokenCache?: TokenCache | undefined;
}

export type ClientConfig = {
  readonly [Name in keyof MerchantClientOptions]-?: NonNullable<MerchantClientOptions[Name]>;
};

const isFunction = (value: unknown) => typeof value === 'function';
const isText = (value: unknown, form: RegExp) => typeof value === 'string' && form.test(value);
const isCount = (value: unknown, most: number) => Number.isInteger(value) && Number(value) > 0 && Number(value) <= most;
const isCache = (value: unknown) =>
  ['get', 'set'].every((name) => isFunction(Reflect.get(Object(value) as object, name)));
const isEmail = (value: unknown) => isText(value, /^(?=.*@)\s*\S.{3,253}\S\s*$/su);
/** Environment variables can have white space at their ends. Inside, a URL would hide it. */
const isBaseUrl = (value: unknown) =>
  isText(value, /^\s*https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#]*)?\s*$/i) && URL.canParse(String(value));

/**
 * The advice does not quote the value: it can be a password. Lengths are code points (docs/interface.md 8). Platforms
 * run a timer of more milliseconds at once.
 */
const RULES: Readonly<Record<keyof ClientConfig, readonly [holds: (value: unknown) => boolean, advice: string]>> = {
  baseUrl: [isBaseUrl, 'must be a string like https://api.example/v1, without white space, user, query and fragment'],
  email: [isEmail, 'must be the API email: 5 to 255 characters with an @'],
  password: [(value) => isText(value, /^.{6,255}$/su), 'must be the API password: 6 to 255 characters'],
  loginPath: [(value) => isText(value, /^\//), 'must be a path like /login'],
  fetch: [isFunction, "must be a function like the platform's fetch"],
  timeoutMs: [(value) => isCount(value, 2 ** 31 - 1), 'must be a whole number of milliseconds from 1 to 2147483647'],
  maxAnswerBytes: [(value) => isCount(value, Number.MAX_SAFE_INTEGER), 'must be a whole number of bytes from 1'],
  tokenCache: [isCache, 'must be an object with the methods get and set'],
};

/** @throws TypeError that names the option, without its value */
export function parseOptions(options: MerchantClientOptions): ClientConfig {
  const unknown = Object.keys(options ?? {}).find((name) => !Object.hasOwn(RULES, name));
  const known = Object.keys(RULES).join(', ');
  if (unknown !== undefined) throw mistake(`unknown option "${unknown}". Known options: ${known}`);
  const config: ClientConfig = {
    ...options,
    loginPath: options?.loginPath ?? '/login',
    // Read at each call: tools and tests replace the global later.
    fetch: options?.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs: options?.timeoutMs ?? 30_000,
    maxAnswerBytes: options?.maxAnswerBytes ?? MAX_ANSWER_BYTES,
    tokenCache: options?.tokenCache ?? { get: () => undefined, set: () => undefined },
  };
  if (isText(config.password, /[\n\r]$/))
    throw mistake('password ends in a line end, which a secret file or a .env file with CRLF adds. Remove it');
  for (const [name, [holds, advice]] of Object.entries(RULES))
    if (!holds(config[name as keyof ClientConfig])) throw mistake(`${name} ${advice}`);
  return { ...config, email: config.email.trim(), baseUrl: config.baseUrl.trim().replace(/\/+$/, '') };
}

export function mistake(message: string): TypeError {
  return new TypeError(`createMerchantClient: ${message}.`);
}
