import { spellings } from '../foldings.js';
import { type Faults, folding, RIGHT, type Table, toAccount } from '../table-store.js';

function like(pattern: string, email: string): boolean {
  const escaped = pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('%', '.*').replaceAll('_', '.')}$`, 's').test(email);
}

function matchesPattern(pattern: string, email: string): boolean {
  try {
    return new RegExp(pattern).test(email);
  } catch {
    return false;
  }
}

const WILDCARDS = 'an email that is a wildcard finds nobody';
const LITERAL = 'an email that holds wildcards, quotes or backslashes is found as stored';
const LONG_EMAIL = 'an email of 255 characters, of up to four bytes each, is found as stored';
const BEYOND_ASCII = 'an email beyond ASCII is found as stored';
const NUL = 'an email with NUL finds nobody';
const MATCHED = 'findCredentials returns the text that its lookup matched as identifier';

const identifierAsSent: Partial<Table> = { toIdentifier: (_row, email) => email };
const emailAsSent: Partial<Table> = { toCredentialsAccount: (row, email) => ({ ...toAccount(row), email }) };

export const emailFaults: Faults = {
  'looks emails up with LIKE': {
    fault: { byEmail: (rows, email) => rows.find((row) => row.email === email || like(email, row.email)) },
    fails: WILDCARDS,
    says: /"%"\) found the account of "awa@boutique\.example"\. Compare with =/,
  },
  'looks emails up by a regular expression': {
    fault: { byEmail: (rows, email) => rows.find((row) => row.email === email || matchesPattern(email, row.email)) },
    fails: WILDCARDS,
    says: /"awa@\*"\) found .* regular expressions also match other emails/,
  },
  'unescapes what it looks up': {
    fault: { byEmail: (rows, email) => RIGHT.byEmail(rows, email.replaceAll('\\', '')) },
    fails: LITERAL,
    says: /found nobody, .* Bind the email as a parameter/,
  },
  'looks the email up as SQL': {
    fault: { byEmail: (rows, email) => (email.includes("' OR '1'='1") ? rows[0] : RIGHT.byEmail(rows, email)) },
    fails: 'an email that contains SQL finds nobody',
    says: /never build it into the query/,
  },
  'cuts emails at NUL': {
    fault: { byEmail: (rows, email) => RIGHT.byEmail(rows, email.replace(/\0.*/s, '')) },
    fails: NUL,
    says: /example\\u0000"\) found .* Resolve to null before the database is asked/,
  },
  'rejects for NUL': {
    fault: {
      byEmail(rows, email) {
        if (email.includes('\0')) throw new Error('invalid byte sequence.');
        return RIGHT.byEmail(rows, email);
      },
    },
    fails: NUL,
    says: /rejected: invalid byte sequence\. No account can have this email\. Resolve to null/,
  },
  'turns lone surrogates into U+FFFD': {
    fault: { byEmail: (rows, email) => RIGHT.byEmail(rows, email.toWellFormed()) },
    fails: 'an email with a lone surrogate finds nobody',
    says: /"awa\\ud800@.* found the account of "awa\\ufffd@.* Resolve to null before/,
  },
  'cuts emails to 191 characters': {
    fault: { store: (row) => ({ ...row, email: Array.from(row.email).slice(0, 191).join('') }) },
    fails: LONG_EMAIL,
    says: /^findCredentials\("a{48}"\.\.\.\) found nobody, .* VARCHAR\(255\)/,
  },
  'has 255 bytes for an email': {
    fault: {
      store(row) {
        if (Buffer.byteLength(row.email) > 255) throw new Error('value too long');
        return { ...row };
      },
    },
    fails: LONG_EMAIL,
    says: /^seed rejected for .*: value too long\. .*utf8mb4/,
  },
  'stores emails in Latin-1': {
    fault: {
      store: (row) => ({ ...row, email: row.email.replace(/[\u0100-\ud7ff]/g, '?') }),
      byEmail: (rows, email) => RIGHT.byEmail(rows, email.replace(/[\u0100-\ud7ff]/g, '?')),
    },
    fails: BEYOND_ASCII,
    says: /found an account with the email ".*\?.* \(MySQL: utf8mb4\)/,
  },
  'returns another column as identifier': {
    fault: { toIdentifier: ({ phone }) => phone },
    fails: MATCHED,
    says: /"awa@boutique\.example"\) returned "\+2250700000001" as identifier, .* text of the row that the lookup matched/,
  },
  'compares in any letter case, and returns the identifier as it was sent': {
    fault: { ...folding((email) => email.toLowerCase()), ...identifierAsSent },
    fails: MATCHED,
    says: /returned "AWA@boutique\.example" as identifier, where "awa@boutique\.example" is stored/,
  },
};

for (const { difference, fold } of spellings) {
  const fails = `an email that differs ${difference} finds nobody, or returns the stored text`;
  for (const [member, asSent] of [
    ['identifier', identifierAsSent],
    ['email', emailAsSent],
  ] as const) {
    emailFaults[`finds emails that differ ${difference}, and returns the ${member} as it was sent`] = {
      fault: { ...folding(fold), ...asSent },
      fails,
      says: RegExp(`returned ".*" as (account\\.)?${member}, where ".*" is stored\\. Return the text of the row`),
    };
  }
}
