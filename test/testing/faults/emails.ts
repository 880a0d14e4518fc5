import { RIGHT } from '../table-store.js';
import type { Fault } from './fault.js';

const like = (pattern: string, email: string) =>
  new RegExp(
    `^${pattern
      .replace(/[^%_]/g, (c) => (RegExp('[\\\\^$.*+?()[\\]{}|]').test(c) ? `\\${c}` : c))
      .replaceAll('%', '.*')
      .replaceAll('_', '.')}$`,
    's',
  ).test(email);

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

export const emailFaults: readonly Fault[] = [
  {
    title: 'looks emails up with LIKE',
    fault: { byEmail: (rows, email) => rows.find((row) => row.email === email || like(email, row.email)) },
    fails: WILDCARDS,
    says: /"%"\) found the account of "awa@boutique\.example"\. Compare with =/,
  },
  {
    title: 'looks emails up by a regular expression',
    fault: { byEmail: (rows, email) => rows.find((row) => row.email === email || matchesPattern(email, row.email)) },
    fails: WILDCARDS,
    says: /"awa@\*"\) found .* regular expressions also match other emails/,
  },
  {
    title: 'unescapes what it looks up',
    fault: { byEmail: (rows, email) => RIGHT.byEmail(rows, email.replaceAll('\\', '')) },
    fails: LITERAL,
    says: /found nobody, .* Bind the email as a parameter/,
  },
  {
    title: 'looks the email up as SQL',
    fault: { byEmail: (rows, email) => (email.includes("' OR '1'='1") ? rows[0] : RIGHT.byEmail(rows, email)) },
    fails: 'an email that contains SQL finds nobody',
    says: /never build it into the query/,
  },
  {
    title: 'cuts emails at NUL',
    fault: { byEmail: (rows, email) => RIGHT.byEmail(rows, email.replace(/\0.*/s, '')) },
    fails: NUL,
    says: /example\\u0000"\) found .* Resolve to null before the database is asked/,
  },
  {
    title: 'rejects for NUL',
    fault: {
      byEmail(rows, email) {
        if (email.includes('\0')) throw new Error('invalid byte sequence.');
        return RIGHT.byEmail(rows, email);
      },
    },
    fails: NUL,
    says: /rejected: invalid byte sequence\. No account can have this email\. Resolve to null/,
  },
  {
    title: 'turns lone surrogates into U+FFFD',
    fault: { byEmail: (rows, email) => RIGHT.byEmail(rows, email.toWellFormed()) },
    fails: 'an email with a lone surrogate finds nobody',
    says: /"awa\\ud800@.* found the account of "awa\\ufffd@.* Resolve to null before/,
  },
  {
    title: 'cuts emails to 191 characters',
    fault: { store: (row) => ({ ...row, email: Array.from(row.email).slice(0, 191).join('') }) },
    fails: LONG_EMAIL,
    says: /^findCredentials\("a{48}"\.\.\.\) found nobody, .* VARCHAR\(255\)/,
  },
  {
    title: 'has 255 bytes for an email',
    fault: {
      store(row) {
        if (Buffer.byteLength(row.email) > 255) throw new Error('value too long');
        return { ...row };
      },
    },
    fails: LONG_EMAIL,
    says: /^seed rejected for .*: value too long\. .*utf8mb4/,
  },
  {
    title: 'stores emails in Latin-1',
    fault: {
      store: (row) => ({ ...row, email: row.email.replace(/[\u0100-\ud7ff]/g, '?') }),
      byEmail: (rows, email) => RIGHT.byEmail(rows, email.replace(/[\u0100-\ud7ff]/g, '?')),
    },
    fails: BEYOND_ASCII,
    says: /came back with the email ".*\?.* \(MySQL: utf8mb4\)/,
  },
];
