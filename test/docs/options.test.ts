import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';
import { parseOptions } from '../../client/src/client-options.js';
import { BEARER_OPTIONS } from '../../src/guard/require-bearer-options.js';
import { GUARD_OPTIONS } from '../../src/guard/guard-options.js';
import { LOGIN_OPTIONS } from '../../src/login/login-options.js';
import { DEFAULT_ARGON2_COST } from '../../src/passwords/argon2.js';
import { DEFAULT_BCRYPT_COST } from '../../src/passwords/bcrypt.js';
import { CACHE_OPTIONS } from '../../src/store/cached-user-store.js';
import { DEFAULT_LIMITS, type FailureLimit } from '../../src/throttle/throttle-options.js';
import { DEFAULT_TOKEN_CACHE_SIZE } from '../../src/tokens/claims-cache.js';
import { readPage } from '../helpers/snippets.js';

const PAGES = ['docs/options.md', 'client/README.md'];

const CLIENT = parseOptions({ baseUrl: 'https://pay.example', email: 'a@shop.example', password: 'baobab-2026' });

/** The defaults of the code that are numbers. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, number | FailureLimit>>>> = {
  createLogin: {
    storeTimeoutMs: LOGIN_OPTIONS.storeTimeoutMs('', undefined),
    maxPendingLogins: LOGIN_OPTIONS.maxPendingLogins('', undefined),
  },
  createGuard: { storeTimeoutMs: GUARD_OPTIONS.storeTimeoutMs('', undefined) },
  requireBearer: { bodyLimit: BEARER_OPTIONS.bodyLimit('', undefined) },
  createTokens: { tokenCacheSize: DEFAULT_TOKEN_CACHE_SIZE },
  createPasswords: { ...DEFAULT_ARGON2_COST, bcryptCost: DEFAULT_BCRYPT_COST },
  createLoginThrottle: DEFAULT_LIMITS,
  createCachedUserStore: { maxEntries: CACHE_OPTIONS.maxEntries('', undefined) },
  createMerchantClient: { timeoutMs: CLIENT.timeoutMs, maxAnswerBytes: CLIENT.maxAnswerBytes },
};

/** Matches an option whose docstring names a number as its default, and the seconds of a limit. */
const NUMBER = /^- \*\*`(\w+)`\*\*(?:(?!^- )[^])*?Default:?\s+(\d[\d,]*)(?:\s+in\s+(\d[\d,]*)\s+s)?/gm;

/** Returns the default that a match of `NUMBER` names. */
function defaultIn([, , first = '', seconds]: readonly string[]): number | FailureLimit {
  const [number = NaN, time] = [first, seconds].map((text) => text && Number(text.replaceAll(',', '')));
  return time ? { failures: Number(number), seconds: time } : Number(number);
}

for (const page of PAGES) {
  it(`${page} names the numbers that are the defaults of the code`, () => {
    const sections = readPage(page).matchAll(/^## ([a-z]\w+)\n((?:(?!^## )[^])*)/gm);
    for (const [, factory = '', section = ''] of sections) {
      const named = [...section.matchAll(NUMBER)].map((match) => [match[1], defaultIn(match)]);
      expect(Object.fromEntries(named), factory).to.deep.equal(DEFAULTS[factory] ?? {});
    }
  });
}

it('docs/options.md names every export of the three entry points', async () => {
  for (const entry of ['', '/testing', '/openapi']) {
    const exported = Object.keys((await import(`express-merchant-auth${entry}`)) as object);
    const names = exported.filter((name) => !/^(default|module\.exports)$/.test(name));
    const missing = names.filter(
      (name) => !new RegExp(`^## ${name}$|\`${name}\\b`, 'm').test(readPage('docs/options.md')),
    );
    expect(missing, entry).to.deep.equal([]);
  }
});

it('docs/options.md has what the script writes', () => {
  execFileSync(process.execPath, [path.join(__dirname, 'options.mjs'), '--check'], { stdio: 'pipe' });
});
