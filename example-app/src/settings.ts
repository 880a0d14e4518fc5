import type { KeyConfig } from 'express-merchant-auth';
import type { DatabaseSettings } from './stores/open-stores.js';

const DEFAULT_PORT = 3000;
const MAX_PORT = 65_535;

/** The databases by the scheme of their URL. */
const KINDS: Readonly<Record<string, DatabaseSettings['kind']>> = {
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
  'mysql:': 'mysql',
  'mariadb:': 'mysql',
};

/** The port to listen on; 0 lets the system choose one. */
export function readPort({ PORT = '' }: NodeJS.ProcessEnv): number {
  if (PORT === '') return DEFAULT_PORT;
  const port = Number(PORT);
  if (!/^\d+$/.test(PORT) || port > MAX_PORT) {
    throw new TypeError(`PORT must be a whole number from 0 to ${MAX_PORT}.`);
  }
  return port;
}

/** The secret that signs the tokens, or `undefined` when none is set. */
export function readSecret({ JWT_SECRET = '' }: NodeJS.ProcessEnv): string | undefined {
  return JWT_SECRET === '' ? undefined : JWT_SECRET;
}

/** The key ring that signs the tokens in the secret's place, or `undefined` when none is set. */
export function readKeys({ JWT_KEYS = '' }: NodeJS.ProcessEnv): readonly KeyConfig[] | undefined {
  if (JWT_KEYS === '') return undefined;
  try {
    return JSON.parse(JWT_KEYS) as readonly KeyConfig[];
  } catch {
    // The parser's own message quotes what it read.
    throw new TypeError(
      'JWT_KEYS must be a JSON list of keys: [{"kid":"2026-11","algorithm":"HS256","secret":"..."}].',
    );
  }
}

/** The database to keep accounts and transactions in, or `undefined` when they are kept in memory. */
export function readDatabase({ DATABASE_URL = '', SEED_DEMO = '' }: NodeJS.ProcessEnv): DatabaseSettings | undefined {
  if (!['', '0', '1'].includes(SEED_DEMO)) throw new TypeError('SEED_DEMO must be 1, 0 or unset.');
  if (DATABASE_URL === '') return undefined;
  const kind = URL.canParse(DATABASE_URL) ? KINDS[new URL(DATABASE_URL).protocol] : undefined;
  if (kind === undefined) {
    throw new TypeError(
      'DATABASE_URL must be a URL like postgres://user:password@localhost:5432/shop, or the same with mysql://. ' +
        'Percent-encode what is special in the password.',
    );
  }
  return { kind, url: DATABASE_URL, seedDemo: SEED_DEMO === '1' };
}

/** The Redis to count failed logins in, or `undefined` when they are counted in memory. */
export function readRedisUrl({ REDIS_URL = '' }: NodeJS.ProcessEnv): string | undefined {
  if (REDIS_URL === '') return undefined;
  if (URL.canParse(REDIS_URL) && ['redis:', 'rediss:'].includes(new URL(REDIS_URL).protocol)) return REDIS_URL;
  throw new TypeError(
    'REDIS_URL must be a URL like redis://localhost:6379, or the same with rediss:// for TLS. ' +
      'Percent-encode what is special in the password.',
  );
}
