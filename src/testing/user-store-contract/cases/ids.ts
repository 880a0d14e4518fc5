import type { MerchantAccount } from '../../../store/user-store.js';
import { demand, show } from '../messages.js';
import { merchant } from '../merchants.js';
import type { SeedAccount } from '../store-under-test.js';
import type { StoreCases } from '../trial.js';

const STARTS = [' ', '\t', '0', '00', '+', '0x'];
const ENDS = ['abc', ' ', '\n', '.0', '.', 'e0', 'n', '\0', ' OR 1=1', "' OR '1'='1", '; SELECT 1'];
const PATTERNS = ['%', '_', '.*', "' OR 1=1"];
const WORDS = ['', ' ', 'abc', 'null', 'undefined', 'NaN', 'Infinity', '[object Object]', '\0', '\ud800'];
const NUMBERS = ['-0', '-1', '0', '99999999999999999999', '-9223372036854775809', '1e400'];

/** Databases or `Number` can read these texts as this id, or as another stored id. */
export function spellingsOf(id: string): string[] {
  const wrapped = /^\d{1,18}$/.test(id) ? [32n, 64n].map((bits) => String(BigInt(id) + (1n << bits))) : [];
  const around = [...ENDS.map((end) => id + end), ...STARTS.map((start) => start + id), `{${id}}`, `${id},${id}`];
  const spellings = [...around, ...PATTERNS, ...WORDS, ...NUMBERS, ...wrapped, id.toUpperCase()];
  return spellings.filter((spelling) => spelling !== id);
}

/** Not by the id: a store can have one wrong member. */
function isAccount(found: MerchantAccount, { email, marchand }: SeedAccount): boolean {
  return found.email === email || found.marchand?.referencl === marchand.referencl;
}

const IDS = ['1', '2', '12', '9007199254740992', '9007199254740993', '9223372036854775806', '9223372036854775807'];

export const idCases: StoreCases = {
  'an id finds nobody in any other spelling': async (trial) => {
    const { id } = await trial.seedOne(merchant(1));
    for (const spelling of spellingsOf(id)) {
      // The next case checks rejections.
      const [outcome] = await Promise.allSettled([trial.findById(spelling)]);
      demand(
        outcome.status === 'rejected' || outcome.value == null,
        `findById(${show(spelling)}) found the account ${show(id)}. Databases and Number() read that text as the same ` +
          'id: resolve to null unless the text is what String(row.id) gives.',
      );
    }
  },
  'an id that cannot be stored resolves to null': async (trial) => {
    const { id } = await trial.seedOne(merchant(1));
    const hint =
      'A token of another issuer can bring any text: resolve to null for what the column cannot hold, before the ' +
      'database is asked. For a bigint key: if (!/^[1-9]\\d{0,18}$/.test(id)) return null; for 32 bits, compare the number with 2147483647 too.';
    for (const spelling of spellingsOf(id)) await trial.findById(spelling, hint);
  },
  'ids are strings': async (trial) => {
    const seeded = await trial.seedOne(merchant(1));
    const { id } = await trial.accountOf(seeded);
    demand(
      typeof id === 'string',
      `findById(${show(seeded.id)}) returned the id ${show(id)}. Return String(row.id), because it becomes the token's sub.`,
    );
    demand(
      id === seeded.id,
      `findById(${show(seeded.id)}) returned the id ${show(id)}. Return the id by which the account is found.`,
    );
  },
  'ids beyond 2^53 are exact': async (trial) => {
    const accounts = IDS.map((id, index) => merchant(index + 1, { id }));
    for (const account of accounts) {
      const seeded = await trial.seedUnlessRefused(account);
      // A smaller column type cannot store such ids.
      if (seeded === undefined) continue;
      const fix =
        'Read a bigint as text, never as a JavaScript number: mysql2 needs supportBigNumbers and bigNumberStrings, ' +
        'node-postgres gives text by itself; and bind the id as text or BigInt.';
      const call = `findById(${show(seeded.id)})`;
      const found = await trial.findById(seeded.id);
      demand(found != null, `${call} found nobody, but that account was seeded. ${fix}`);
      demand(isAccount(found, seeded), `${call} found another account. ${fix}`);
      demand(
        typeof found.id !== 'string' || found.id === seeded.id,
        `${call} returned the id ${show(found.id)}. ${fix}`,
      );
    }
  },
};
