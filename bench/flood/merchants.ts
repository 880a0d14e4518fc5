/** The number of accounts of a server: one for each login of a burst, so that none of a burst's logins are identical. */
export const MERCHANTS = 10_000;

export const PASSWORD = 'baobab-and-calebasse';
const WRONG_PASSWORD = 'calebasse-and-baobab';
const SHORT_PASSWORD = 'short';

/** A merchant and a source that are not among the first ones. */
const ONE_MERCHANT = MERCHANTS - 1;
const ONE_SOURCE = 60_000;

/** The statuses that each kind of login may be answered with. */
export const ALLOWED = {
  'right password': [200, 503],
  'wrong password': [401, 503],
  'unknown email': [401, 503],
  'invalid body': [400],
} as const satisfies Record<string, readonly number[]>;

export type Kind = keyof typeof ALLOWED;

/** A login that is ready to be sent. */
export interface Login {
  readonly kind: Kind;
  /** The bytes of the request. */
  readonly request: string;
}

/** The logins that a run sends, by their number. */
export const LOGINS = {
  /** All are the same login. */
  'one merchant': () => rightLogin(ONE_MERCHANT, ONE_SOURCE),
  /** Each is for another account, all come from one source. */
  'one source': (number) => rightLogin(number, ONE_SOURCE),
  /** Each is for another account, and comes from another source. None of the accounts is one of the first 1,000. */
  'many sources': (number) => rightLogin(1_000 + number, number),
  /** Right passwords, wrong passwords and unknown emails in turn, each for another account and from another source. */
  strangers(number) {
    const right = rightLogin(number, number);
    const wrong = createLogin('wrong password', emailOf(number), WRONG_PASSWORD, number);
    const unknown = createLogin('unknown email', `nobody-${number}@bench.example`, PASSWORD, number);
    return [right, wrong, unknown][number % 3] ?? right;
  },
  /** Refused with 400 after the body was read, so without a hash. */
  'invalid body': () => createLogin('invalid body', emailOf(ONE_MERCHANT), SHORT_PASSWORD, ONE_SOURCE),
} as const satisfies Record<string, (number: number) => Login>;

export type Pattern = keyof typeof LOGINS;

export function emailOf(merchant: number): string {
  return `merchant-${merchant % MERCHANTS}@bench.example`;
}

function rightLogin(merchant: number, source: number): Login {
  return createLogin('right password', emailOf(merchant), PASSWORD, source);
}

/** @param source the number of an address in 198.18.0.0/16, which RFC 2544 reserves for benchmarks */
function createLogin(kind: Kind, email: string, password: string, source: number): Login {
  const json = JSON.stringify({ email, password });
  const head = [
    'POST /v1/login HTTP/1.1',
    'Host: 127.0.0.1',
    `X-Forwarded-For: 198.18.${(source >> 8) & 255}.${source & 255}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(json)}`,
  ];
  return { kind, request: `${head.join('\r\n')}\r\n\r\n${json}` };
}
