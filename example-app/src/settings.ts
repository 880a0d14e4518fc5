import { isIP } from 'node:net';
import type { KeyConfig } from 'express-merchant-auth';
import type { LevelWithSilent } from 'pino';
import type { DatabaseSettings } from './stores/open-stores.js';

const MAX_PORT = 65_535;

/** Limits the delay of a stop, in milliseconds. It is ten minutes. */
const MAX_DELAY_MS = 600_000;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Limits the number of proxies, because with a number above theirs a caller can forge its address. */
const MAX_PROXIES = 10;

const PROXIES =
  'Set it to the addresses or ranges of your proxies, as in 10.0.0.7,10.1.0.0/16, to loopback, or to their number.';

const NO_DATABASE =
  'DATABASE_URL is not set. With NODE_ENV=production, the demo in memory needs SEED_DEMO=1, because its passwords are public.';

/** Maps the scheme of a URL to its kind of database. */
const KINDS: Readonly<Record<string, DatabaseSettings['kind']>> = {
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
  'mysql:': 'mysql',
  'mariadb:': 'mysql',
};

/** Returns the port to listen on. With 0 the system chooses one. */
export function readPort({ PORT = '' }: NodeJS.ProcessEnv): number {
  return parseWhole('PORT', PORT || '3000', 0, MAX_PORT);
}

/** Returns the port of the metrics, or `undefined` when none is set. */
export function readMetricsPort({ METRICS_PORT = '' }: NodeJS.ProcessEnv): number | undefined {
  return METRICS_PORT === '' ? undefined : parseWhole('METRICS_PORT', METRICS_PORT, 0, MAX_PORT);
}

/** Returns the address of the metrics. With the default, only this machine can read how many logins fail, and why. */
export function readMetricsHost({ METRICS_HOST = '' }: NodeJS.ProcessEnv): string {
  return METRICS_HOST || '127.0.0.1';
}

/** Returns the address to listen on. With the default, only this machine can connect. */
export function readHost({ HOST = '' }: NodeJS.ProcessEnv): string {
  return HOST || '127.0.0.1';
}

/** Returns the log level. Outside of production it is `warn`, so that a developer sees the address of the app. */
export function readLogLevel({ LOG_LEVEL = '', NODE_ENV }: NodeJS.ProcessEnv): LevelWithSilent {
  if (LOG_LEVEL === '') return NODE_ENV === 'production' ? 'info' : 'warn';
  const level = LOG_LEVELS.find((name) => name === LOG_LEVEL);
  if (level === undefined) throw new TypeError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`);
  return level;
}

/** Returns true when refusals are in French. The name is not `LANGUAGE`, because desktops set that one for gettext. */
export function readFrench({ REFUSAL_LANGUAGE = '' }: NodeJS.ProcessEnv): boolean {
  return REFUSAL_LANGUAGE === 'fr';
}

/** Returns the requests that one merchant may send in a minute. The default only stops an endless loop. */
export function readRequestsPerMinute({ REQUESTS_PER_MINUTE = '' }: NodeJS.ProcessEnv): number {
  return parseWhole('REQUESTS_PER_MINUTE', REQUESTS_PER_MINUTE || '6000', 1, Number.MAX_SAFE_INTEGER);
}

/** Returns Express's setting `trust proxy`: the number of proxies, or their addresses. `false` when nothing is set. */
export function readTrustProxy({ TRUST_PROXY = '' }: NodeJS.ProcessEnv): number | false | readonly string[] {
  if (TRUST_PROXY === '') return false;
  if (TRUST_PROXY === 'true') throw new TypeError(`TRUST_PROXY=true lets every caller forge its address. ${PROXIES}`);
  if (/^\d+$/.test(TRUST_PROXY)) return parseWhole('TRUST_PROXY', TRUST_PROXY, 1, MAX_PROXIES);
  const addresses = TRUST_PROXY.split(',').map((text) => text.trim());
  if (addresses.every(isProxy)) return addresses;
  throw new TypeError(`TRUST_PROXY is wrong. ${PROXIES}`);
}

/** Returns true for `loopback`, an address, and a range as in 10.0.0.0/8. A larger range would trust most callers. */
function isProxy(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || bits === undefined) return family !== 0 || text === 'loopback';
  // A range that begins with :: can hold all addresses of IPv4.
  const least = family === 4 ? 8 : address.startsWith('::') ? 104 : 16;
  const isWhole = more.length === 0 && /^[1-9]\d*$/.test(bits);
  return isWhole && Number(bits) >= least && Number(bits) <= (family === 4 ? 32 : 128);
}

/** Returns the time between the 503 of `/readyz` and the end of new connections, in milliseconds. */
export function readShutdownDelay({ SHUTDOWN_DELAY_MS = '', NODE_ENV }: NodeJS.ProcessEnv): number {
  const fallback = NODE_ENV === 'production' ? '5000' : '0';
  return parseWhole('SHUTDOWN_DELAY_MS', SHUTDOWN_DELAY_MS || fallback, 0, MAX_DELAY_MS);
}

function parseWhole(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new TypeError(`${name} must be a whole number from ${min} to ${max}.`);
}

/** Returns the secret that signs the tokens, or `undefined` when none is set. */
export function readSecret({ JWT_SECRET = '' }: NodeJS.ProcessEnv): string | undefined {
  return JWT_SECRET === '' ? undefined : JWT_SECRET;
}

/** Returns the key ring that signs the tokens instead of the secret, or `undefined` when none is set. */
export function readKeys({ JWT_KEYS = '' }: NodeJS.ProcessEnv): readonly KeyConfig[] | undefined {
  if (JWT_KEYS === '') return undefined;
  try {
    return JSON.parse(JWT_KEYS) as readonly KeyConfig[];
  } catch {
    // The message of JSON.parse quotes the text, which holds secrets.
    throw new TypeError(
      'JWT_KEYS must be a JSON list of keys: [{"kid":"2026-11","algorithm":"HS256","secret":"..."}].',
    );
  }
}

/**
 * Returns the database for accounts and transactions, or `undefined` to keep them in memory, with the demo accounts.
 * @throws TypeError in production without a database, unless `SEED_DEMO=1` asks for the demo: a misspelled `DATABASE_URL`
 * must not let in everybody who knows the published passwords
 */
export function readDatabase(env: NodeJS.ProcessEnv): DatabaseSettings | undefined {
  const { DATABASE_URL = '', SEED_DEMO = '', NODE_ENV } = env;
  if (!['', '0', '1'].includes(SEED_DEMO)) throw new TypeError('SEED_DEMO must be 1, 0 or unset.');
  if (DATABASE_URL === '') {
    if (NODE_ENV === 'production' && SEED_DEMO !== '1') throw new TypeError(NO_DATABASE);
    return undefined;
  }
  const kind = URL.canParse(DATABASE_URL) ? KINDS[new URL(DATABASE_URL).protocol] : undefined;
  if (kind === undefined) {
    throw badUrl('DATABASE_URL', 'postgres://user:password@localhost:5432/shop, or the same with mysql://');
  }
  return { kind, url: DATABASE_URL, seedDemo: SEED_DEMO === '1' };
}

/** Returns the URL of the Redis that counts failed logins, or `undefined` to count in memory. */
export function readRedisUrl({ REDIS_URL = '' }: NodeJS.ProcessEnv): string | undefined {
  if (REDIS_URL === '') return undefined;
  if (URL.canParse(REDIS_URL) && ['redis:', 'rediss:'].includes(new URL(REDIS_URL).protocol)) return REDIS_URL;
  throw badUrl('REDIS_URL', 'redis://localhost:6379, or the same with rediss:// for TLS');
}

function badUrl(name: string, example: string): TypeError {
  return new TypeError(`${name} must be a URL like ${example}. Percent-encode the special characters of the password.`);
}
