import { callAsync } from '../../../base/host-calls.js';
import { leaveOutUnless } from '../contract-case.js';
import { demand, reasonOf, show, Violation } from '../messages.js';
import { ARGON2ID_HASH, BCRYPT_HASH, merchant, neighborOf } from '../merchants.js';
import type { SeedAccount } from '../store-under-test.js';
import type { StoreCases, StoreCheck, Trial } from '../trial.js';

const CALLERS = 50;
const NEVER_STORED = BCRYPT_HASH.replace('eImi', 'fJnj');
const STATEMENT = 'UPDATE ... SET password_hash = next WHERE id = id AND password_hash = current, in one statement';

type Replace = (id: string, current: string, next: string) => Promise<unknown>;

async function hashOf(trial: Trial, account: SeedAccount): Promise<string | null> {
  return (await trial.credentialsOf(account)).passwordHash;
}

function ifReplaces(check: (trial: Trial, replace: Replace) => Promise<void>): StoreCheck {
  return async (trial) => {
    const { store } = trial;
    leaveOutUnless(store.replacePasswordHash !== undefined, 'This store has no replacePasswordHash.');
    await check(trial, async (id, current, next) => {
      try {
        return await callAsync(() => store.replacePasswordHash?.(id, current, next));
      } catch (cause) {
        throw new Violation(
          `replacePasswordHash(${show(id)}, current, next) rejected: ${reasonOf(cause)}. ` +
            'Resolve to false when current is not what is stored.',
          { cause },
        );
      }
    });
  };
}

export const replaceHashCases: StoreCases = {
  'replacePasswordHash stores the next hash when the current one is stored': ifReplaces(async (trial, replace) => {
    const seeded = await trial.seedOne(merchant(1));
    demand(
      Boolean(await replace(seeded.id, BCRYPT_HASH, ARGON2ID_HASH)),
      'replacePasswordHash did not resolve to true, but current was what is stored. Resolve to true only if a row was updated.',
    );
    demand(
      (await hashOf(trial, seeded)) === ARGON2ID_HASH,
      'replacePasswordHash resolved to true, but findCredentials does not give the next hash. Store it before resolving.',
    );
  }),
  'replacePasswordHash changes nothing when another hash is stored': ifReplaces(async (trial, replace) => {
    const seeded = await trial.seedOne(merchant(1));
    const answer = await replace(seeded.id, NEVER_STORED, ARGON2ID_HASH);
    demand(
      (await hashOf(trial, seeded)) === BCRYPT_HASH,
      `replacePasswordHash replaced a hash that was not current: a password change would be undone. Compare: ${STATEMENT}.`,
    );
    demand(
      !answer,
      'replacePasswordHash resolved to true, but current was not what is stored. Resolve to true only if a row was updated.',
    );
  }),
  'replacePasswordHash resolves to false for an unknown id': ifReplaces(async (trial, replace) => {
    const seeded = await trial.seedOne(merchant(1));
    const unknown = neighborOf(seeded.id);
    demand(
      !(await replace(unknown, BCRYPT_HASH, ARGON2ID_HASH)),
      `replacePasswordHash resolved to true for the unknown id ${show(unknown)}. Resolve to true only if a row was updated.`,
    );
  }),
  'replacePasswordHash compares the current hash exactly': ifReplaces(async (trial, replace) => {
    const seeded = await trial.seedOne(merchant(1));
    for (const other of [BCRYPT_HASH.toLowerCase(), BCRYPT_HASH.toUpperCase(), BCRYPT_HASH.slice(0, -1), '%', '']) {
      await replace(seeded.id, other, ARGON2ID_HASH);
      demand(
        (await hashOf(trial, seeded)) === BCRYPT_HASH,
        'replacePasswordHash took a hash for the current one that differs from it. ' +
          'Compare exactly, including the letter case: = in a binary collation (MySQL: utf8mb4_bin).',
      );
    }
  }),
  'replacePasswordHash leaves other accounts alone': ifReplaces(async (trial, replace) => {
    const [first = merchant(1), second = merchant(2)] = await trial.seed([merchant(1), merchant(2)]);
    await replace(first.id, BCRYPT_HASH, ARGON2ID_HASH);
    demand(
      (await hashOf(trial, second)) === BCRYPT_HASH,
      `replacePasswordHash(${show(first.id)}, ...) replaced the hash of the account ${show(second.id)} as well. ` +
        `Name the id: ${STATEMENT}.`,
    );
  }),
  'replacePasswordHash resolves to a boolean': ifReplaces(async (trial, replace) => {
    const seeded = await trial.seedOne(merchant(1));
    for (const current of [NEVER_STORED, BCRYPT_HASH]) {
      const answer = await replace(seeded.id, current, ARGON2ID_HASH);
      demand(
        typeof answer === 'boolean',
        `replacePasswordHash resolved to ${typeof answer}. Resolve to a boolean: affectedRows === 1, or rowCount === 1.`,
      );
    }
  }),
  [`replacePasswordHash resolves to true for one of ${CALLERS} calls at once`]: ifReplaces(async (trial, replace) => {
    const seeded = await trial.seedOne(merchant(1));
    const hashes = Array.from({ length: CALLERS }, (_, index) => `${BCRYPT_HASH.slice(0, -2)}${10 + index}`);
    const answers = await Promise.all(hashes.map((next) => replace(seeded.id, BCRYPT_HASH, next)));
    const winners = hashes.filter((_, index) => answers[index]);
    demand(
      winners.length === 1,
      `${winners.length} of ${CALLERS} calls of replacePasswordHash at once resolved to true, with the same current. ` +
        `Let the database compare and set: ${STATEMENT}.`,
    );
    demand(
      (await hashOf(trial, seeded)) === winners[0],
      `Of ${CALLERS} calls of replacePasswordHash at once, the one that resolved to true is not the one whose hash is ` +
        `stored. Let the database compare and set: ${STATEMENT}.`,
    );
  }),
};
