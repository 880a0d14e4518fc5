import { figure } from '../harness/table.js';

/** What a ratio, or an amount, must be. */
export interface Bound {
  readonly side: 'least' | 'most';
  readonly value: number;
}

/** A row of the targets: one figure, or several that all have to be met. */
export interface Target {
  readonly what: string;
  readonly parts: Readonly<Record<string, Bound>>;
}

/** What was measured. */
export interface Measured {
  /** What the target is about. */
  readonly value: number;
  /** The same by the server's processor time, where that says more on a busy machine. */
  readonly cpu?: number;
}

/** The figures of a row's parts. */
export type Figures = Readonly<Record<string, Measured>>;

/** What is known of a row: its figures, or why there are none. */
export type Outcome = { readonly figures: Figures } | { readonly notMeasured: string };

const atLeast = (value: number): Bound => ({ side: 'least', value });
const atMost = (value: number): Bound => ({ side: 'most', value });

export const TARGETS = {
  overBare: {
    what: 'complete guard, repeated token, over bare Express 5',
    parts: { HS256: atLeast(0.93), RS256: atLeast(0.93), ES256: atLeast(0.93) },
  },
  overExpressJwt: {
    what: 'complete guard over express-jwt (KeyObject)',
    parts: { HS256: atLeast(1), RS256: atLeast(1.25) },
  },
  overOauth2Bearer: {
    what: 'complete guard over express-oauth2-jwt-bearer',
    parts: { HS256: atLeast(1.4), RS256: atLeast(1.5) },
  },
  overPassportString: {
    what: 'complete guard over hand-wired passport-jwt with a string secret',
    parts: { HS256: atLeast(5) },
  },
  newOverPassportKeyObject: {
    what: 'complete guard, every token new, over passport-jwt with a KeyObject',
    parts: { HS256: atLeast(1.1) },
  },
  refusedOverAccepted: {
    what: 'refused requests per second over accepted ones',
    parts: { 'no token': atLeast(1), garbage: atLeast(1), 'bad signature': atLeast(1) },
  },
  memory: {
    what: 'memory held for 10,000 live tokens, and what it grows by from 100,000 tokens seen to 1,000,000, in MB',
    parts: { held: atMost(16), growth: atMost(1) },
  },
  logins: {
    what: "logins per second at 8 callers over the hash library's own rate at the same concurrency",
    parts: { ratio: atLeast(0.95) },
  },
  waiting: {
    what: 'p50 during a flood of 64 callers logging in, bounded over unbounded hashing',
    parts: { 'fs.readFile': atMost(0.02), 'dns.lookup': atMost(0.02) },
  },
  loginsInFlood: {
    what: 'logins per second during that flood, bounded over unbounded',
    parts: { ratio: atLeast(0.85) },
  },
  guardedInFlood: {
    what: 'p99 of guarded routes during that flood over idle',
    parts: { ratio: atMost(5) },
  },
  accounts: {
    what: "guard's cost with 1,000,000 accounts in PostgreSQL over 1,000 accounts",
    parts: { ratio: atMost(1.1) },
  },
} as const satisfies Record<string, Target>;

export type RowName = keyof typeof TARGETS;

/** Whether every part is there and within its bound. */
export function isMet({ parts }: Target, outcome: Outcome): boolean {
  return Object.entries(parts).every(([part, bound]) => {
    const measured = measuredOf(outcome, part);
    return measured !== undefined && isWithin(measured.value, bound);
  });
}

/** Returns false for NaN. */
export function isWithin(value: number, { side, value: bound }: Bound): boolean {
  return side === 'least' ? value >= bound : value <= bound;
}

function measuredOf(outcome: Outcome, part: string): Measured | undefined {
  return 'figures' in outcome ? outcome.figures[part] : undefined;
}

/** What is shown of a row, as text. */
export interface Cells {
  readonly what: string;
  readonly is: string;
  readonly bound: string;
  readonly met: string;
}

export function cellsOf(target: Target, outcome: Outcome): Cells {
  const parts = Object.entries(target.parts);
  const named = (part: string, text: string) => (parts.length === 1 ? text : `${part} ${text}`);
  const figures = parts.map(([part]) => {
    const measured = measuredOf(outcome, part);
    if (measured === undefined) return named(part, '-');
    const { value, cpu } = measured;
    return named(part, cpu === undefined ? figure(value) : `${figure(value)} (CPU ${figure(cpu)})`);
  });
  const is = 'notMeasured' in outcome ? `not measured: ${outcome.notMeasured}` : figures.join(', ');
  return { what: target.what, is, bound: boundText(target), met: isMet(target, outcome) ? 'met' : 'NOT MET' };
}

function boundText({ parts }: Target): string {
  const texts = Object.values(parts).map(({ side, value }) => `${side === 'least' ? '>=' : '<='} ${value}`);
  const [first = '', ...others] = texts;
  if (others.length === 0) return first;
  return others.every((text) => text === first) ? `${first} each` : texts.join(' / ');
}
