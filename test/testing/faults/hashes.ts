import { RIGHT } from '../table-store.js';
import { account, type Fault } from './fault.js';

const HASH_LENGTH = 'a passwordHash is neither cut nor padded';
const NO_HASH = 'an account does not carry its hash';

export const hashFaults: readonly Fault[] = [
  {
    title: "returns '' for no hash",
    fault: { toHash: ({ passwordHash }) => passwordHash ?? '' },
    fails: 'an account without a password has the passwordHash null',
    says: /passwordHash of type string, where null is stored/,
  },
  {
    title: 'cuts hashes to 100 characters',
    fault: { store: (row) => ({ ...row, passwordHash: row.passwordHash?.slice(0, 100) ?? null }) },
    fails: HASH_LENGTH,
    says: /of 255 characters came back changed, as 100 characters\. Keep it in a VARCHAR\(255\)/,
  },
  {
    title: 'pads hashes',
    fault: { toHash: ({ passwordHash }) => passwordHash?.padEnd(255) ?? null, replace: undefined },
    fails: HASH_LENGTH,
    says: /of 60 characters came back changed, as 255 characters\. .*CHAR pads/,
  },
  {
    title: 'returns accounts that hold their row',
    fault: account((row) => ({ dataValues: { row: { ...row } } })),
    fails: NO_HASH,
    says: /^The account of findCredentials\("merchant-1@boutique\.example"\) holds the hash/,
  },
  {
    title: 'returns rows with their hash in the list',
    fault: { toListedAccount: (row) => ({ ...(RIGHT.toAccount(row) as object), passwordHash: row.passwordHash }) },
    fails: NO_HASH,
    says: /^The account of findByIds\(\["1", "7"\]\) holds the hash/,
  },
];
