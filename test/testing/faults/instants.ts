import { account, atLogin, type Faults, type Table } from '../table-store.js';

const local = (date: Date): string =>
  [date.getFullYear(), date.getMonth(), date.getDate(), date.getHours(), date.getMinutes()].join(' ');
const numbersIn = (text: string) => text.split(' ').map(Number) as [number, number, number, number, number];
/** Keeps the local time of day in place of the instant, as a column without a zone does. */
const storesLocalTime = (read: (text: string, seconds: number) => Date): Partial<Table> => ({
  store: ({ tokensValidAfter, ...rest }) => ({
    ...rest,
    tokensValidAfter: tokensValidAfter && ({ text: local(tokensValidAfter), ms: +tokensValidAfter % 60_000 } as never),
  }),
  ...account(({ tokensValidAfter }) => {
    const stored = tokensValidAfter as { text: string; ms: number } | null | undefined;
    return { tokensValidAfter: stored && new Date(+read(stored.text, 0) + stored.ms) };
  }),
});
const instant = (change: (milliseconds: number) => number, where = account) =>
  where(({ tokensValidAfter }) => ({ tokensValidAfter: tokensValidAfter && new Date(change(+tokensValidAfter)) }));
const toSecond = (milliseconds: number) => Math.floor(milliseconds / 1000) * 1000;

const SAME_INSTANT = 'findCredentials and findById give the same tokensValidAfter, to the millisecond';
const PRECISION = 'tokensValidAfter is not before the instant that is stored, and less than a second after it';
const ANY_ZONE = 'tokensValidAfter is the same instant in any time zone';

export const instantFaults: Faults = {
  'makes a Date of null': {
    fault: account(({ tokensValidAfter }) => ({ tokensValidAfter: new Date(tokensValidAfter as never) })),
    fails: 'tokensValidAfter is null or absent when there is no such instant',
    says: /make no Date of it: new Date\(null\) is 1970/,
  },
  'returns instants as text': {
    fault: account(({ tokensValidAfter }) => ({ tokensValidAfter: tokensValidAfter?.toISOString() })),
    fails: 'tokensValidAfter is a Date',
    says: /returned "2026-01-15T12:00:00\.000Z" as tokensValidAfter\. Return a valid Date/,
  },
  'cuts instants to a second': {
    fault: instant(toSecond),
    fails: PRECISION,
    says: /1 ms before the instant that is stored\. Keep milliseconds, .* never down/,
  },
  'rounds instants up to a minute': {
    fault: instant((ms) => Math.ceil(ms / 60_000) * 60_000),
    fails: PRECISION,
    says: /59999 ms after the instant/,
  },
  'keeps instants in local time': {
    fault: storesLocalTime((text) => new Date(...numbersIn(text))),
    fails: ANY_ZONE,
    says: /hours away from .* Use timestamptz in PostgreSQL; in MySQL, timezone: 'Z'/,
  },
  'forgets tokensValidAfter at login': {
    fault: atLogin(() => ({ tokensValidAfter: null })),
    fails: SAME_INSTANT,
    says: /differ in tokensValidAfter: null \(object\) and 2026-01-15T12:00:00\.000Z\. Read both from the same column/,
  },
  'cuts instants to a second at login': {
    fault: instant(toSecond, atLogin),
    fails: SAME_INSTANT,
    says: /2026-01-15T12:00:00\.000Z and 2026-01-15T12:00:00\.001Z\. .* with one function: a token carries the value of its login/,
  },
};
