/** How many accounts the servers have. */
export const MERCHANTS = 50;

export const PASSWORD = 'baobab-and-calebasse';
const WRONG_PASSWORD = 'calebasse-and-baobab';

export function emailOf(merchant: number): string {
  return `merchant-${merchant % MERCHANTS}@bench.example`;
}

export const KINDS = ['right password', 'wrong password', 'unknown email'] as const;
/** What is sent in a login. */
export type Kind = (typeof KINDS)[number];

export interface Login {
  readonly kind: Kind;
  readonly body: { readonly email: string; readonly password: string };
}

export function rightLogin(number: number): Login {
  return { kind: 'right password', body: { email: emailOf(number), password: PASSWORD } };
}

/** The kinds in turn; every unknown email is another one. */
export function mixedLogin(number: number): Login {
  const kind = KINDS[number % KINDS.length] ?? KINDS[0];
  const email = kind === 'unknown email' ? `nobody-${number}@bench.example` : emailOf(number);
  return { kind, body: { email, password: kind === 'wrong password' ? WRONG_PASSWORD : PASSWORD } };
}
