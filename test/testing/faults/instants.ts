import { RIGHT, type Row, type Table } from '../table-store.js';
import { account, type Fault } from './fault.js';

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
const instant = (change: (milliseconds: number) => number) =>
  account(({ tokensValidAfter }) => ({ tokensValidAfter: tokensValidAfter && new Date(change(+tokensValidAfter)) }));

/** Changes what findCredentials returns as tokensValidAfter; findById is right. */
const atLogin = (change: (row: Row) => unknown): Partial<Table> => ({
  toCredentialsAccount: (row) => ({ ...(RIGHT.toAccount(row) as object), tokensValidAfter: change(row) }),
});

const SAME_INSTANT = 'findCredentials and findById give the same tokensValidAfter, to the millisecond';
const PRECISION = 'tokensValidAfter is not before the instant that is stored, and less than a second after it';
const ANY_ZONE = 'tokensValidAfter is the same instant in any time zone';

export const instantFaults: readonly Fault[] = [
  {
    title: 'makes a Date of null',
    fault: account(({ tokensValidAfter }) => ({ tokensValidAfter: new Date(tokensValidAfter as never) })),
    fails: 'tokensValidAfter is null or absent when there is no such instant',
    says: /make no Date of it: new Date\(null\) is 1970/,
  },
  {
    title: 'returns instants as text',
    fault: account(({ tokensValidAfter }) => ({ tokensValidAfter: tokensValidAfter?.toISOString() })),
    fails: 'tokensValidAfter is a Date',
    says: /returned "2026-01-15T12:00:00\.000Z" as tokensValidAfter\. Return a valid Date/,
  },
  {
    title: 'cuts instants to a second',
    fault: instant((ms) => Math.floor(ms / 1000) * 1000),
    fails: PRECISION,
    says: /1 ms before the instant that is stored\. Keep milliseconds, .* never down/,
  },
  {
    title: 'rounds instants up to a minute',
    fault: instant((ms) => Math.ceil(ms / 60_000) * 60_000),
    fails: PRECISION,
    says: /59999 ms after the instant/,
  },
  {
    title: 'keeps instants in local time',
    fault: storesLocalTime((text) => new Date(...numbersIn(text))),
    fails: ANY_ZONE,
    says: /hours away from .* Use timestamptz in PostgreSQL; in MySQL, timezone: 'Z'/,
  },
  {
    title: 'forgets tokensValidAfter at login',
    fault: atLogin(() => null),
    fails: SAME_INSTANT,
    says: /differ in tokensValidAfter: null \(object\) and 2026-01-15T12:00:00\.000Z\. Read both from the same column/,
  },
  {
    title: 'cuts instants to a second at login',
    fault: atLogin(({ tokensValidAfter }) => tokensValidAfter && new Date(Math.floor(+tokensValidAfter / 1000) * 1000)),
    fails: SAME_INSTANT,
    says: /2026-01-15T12:00:00\.000Z and 2026-01-15T12:00:00\.001Z\. .* with one function: a token carries the value of its login/,
  },
];
