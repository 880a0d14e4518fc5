import { account, atLogin, type Faults, listed, type Row, toAccount } from '../table-store.js';

const SAME_ACCOUNT = 'findCredentials gives the account that findById gives';
const HASH_LENGTH = 'a passwordHash is neither cut nor padded';
const NO_HASH = 'an account does not carry its hash';
const ALLOWED_SOURCES = 'allowedSources comes back as stored, from every method';
const COPY = 'a change of a returned account does not change the stored one';

export const accountFaults: Faults = {
  'gives undefined for an unknown email': {
    fault: { nobodyByEmail: undefined },
    fails: 'findCredentials resolves to null when no account has the email',
    says: /resolved to undefined .* Resolve to null: rows\[0\] \?\? null/,
  },
  'gives undefined for an unknown id': {
    fault: { nobodyById: undefined },
    fails: 'findById resolves to null when no account has the id',
    says: /^findById\("7"\) resolved to undefined .* Resolve to null/,
  },
  'returns phones as numbers': {
    fault: account(({ phone }) => ({ phone: Number(phone) })),
    fails: 'phone comes back as stored',
    says: /as phone, .* from a column of text/,
  },
  'drops the zeros of references': {
    fault: account(({ marchand }) => ({
      marchand: { ...marchand, referencl: marchand.referencl.replace(/^0+/, '') },
    })),
    fails: 'marchand.referencl comes back as stored',
    says: /"12345" as marchand\.referencl, where "0012345" is stored\. .* leave this case out: userStoreContract\(\.\.\.\)\.filter/,
  },
  'returns statut as a boolean': {
    fault: account(({ marchand }) => ({ marchand: { ...marchand, statut: Boolean(marchand.statut) } })),
    fails: 'marchand.statut comes back as stored',
    says: /returned false \(boolean\) as marchand\.statut, where 0 \(number\) is stored\. .* only two values, leave/,
  },
  'returns disabled only when it is true': {
    fault: account(({ disabled }) => ({ disabled: disabled ? true : undefined })),
    fails: 'disabled comes back as stored',
    says: /false as well as true: .* If your table has none, leave this case out: userStoreContract\(/,
  },
  'selects fewer columns at login': {
    fault: atLogin(() => ({ phone: undefined })),
    fails: SAME_ACCOUNT,
    says: /differ in phone: .* Make the account of both with one function/,
  },
  'returns another email by id': {
    fault: { ...account(({ phone }) => ({ email: phone })), toCredentialsAccount: toAccount },
    fails: SAME_ACCOUNT,
    says: /differ in email: "merchant-1@boutique\.example" and "\+2250700000001"\. Make the account/,
  },
  'forgets allowedSources at login': {
    fault: atLogin(() => ({ allowedSources: null })),
    fails: ALLOWED_SOURCES,
    says: /^findCredentials returned null \(object\) as allowedSources, where \["203\.0\.113\.7", .* is stored\. Return the array/,
  },
  'returns null for an empty list of allowedSources': {
    fault: account(({ allowedSources }) => ({ allowedSources: allowedSources?.length ? allowedSources : null })),
    fails: ALLOWED_SOURCES,
    says: /^findById returned null \(object\) as allowedSources, where \[\] is stored\. .* null allows any address/,
  },
  "returns '' for no hash": {
    fault: { toHash: ({ passwordHash }) => passwordHash ?? '' },
    fails: 'an account without a password has the passwordHash null',
    says: /passwordHash of type string, where null is stored/,
  },
  'cuts hashes to 100 characters': {
    fault: { store: (row) => ({ ...row, passwordHash: row.passwordHash?.slice(0, 100) ?? null }) },
    fails: HASH_LENGTH,
    says: /of 255 characters came back changed, as 100 characters\. Keep it in a VARCHAR\(255\)/,
  },
  'pads hashes': {
    fault: { toHash: ({ passwordHash }) => passwordHash?.padEnd(255) ?? null, replace: undefined },
    fails: HASH_LENGTH,
    says: /of 60 characters came back changed, as 255 characters\. .*CHAR pads/,
  },
  'returns accounts that hold their row': {
    fault: account((row) => ({ dataValues: { row: { ...row } } })),
    fails: NO_HASH,
    says: /^The account of findById holds the hash/,
  },
  'returns rows with their hash in the list': {
    fault: listed(({ passwordHash }) => ({ passwordHash })),
    fails: NO_HASH,
    says: /^The account of findByIds holds the hash/,
  },
  'returns the row itself': {
    fault: {
      // The row has a hash, which is another fault.
      store: ({ passwordHash, ...rest }) =>
        Object.defineProperty({ ...rest }, 'passwordHash', { value: passwordHash, writable: true }) as Row,
      toAccount: (row) => row,
    },
    fails: COPY,
    says: /^After email of the account that findById returned was changed/,
  },
  'returns the marchand of the row': {
    fault: account(({ marchand }) => ({ marchand })),
    fails: COPY,
    says: /^After marchand\.referencl of the account that findById returned was changed/,
  },
  'returns the Date of the row': {
    fault: account(({ tokensValidAfter }) => ({ tokensValidAfter })),
    fails: COPY,
    says: /^After tokensValidAfter of the account that findById returned was changed/,
  },
  'returns the marchand of the row in the list': {
    fault: listed(({ marchand }) => ({ marchand })),
    fails: COPY,
    says: /^After marchand\.referencl of the account that findByIds returned was changed/,
  },
};
