import { randomBytes } from 'node:crypto';
import type { KnownFormat } from './format.js';
import { computeWith, nativePackage } from './native-package.js';

const library = nativePackage<typeof import('@node-rs/argon2')>('@node-rs/argon2');

/** Memory in KiB (`m` of a PHC string), passes (`t`) and lanes (`p`): RFC 9106 section 3.1. */
export const COST_NAMES = ['memoryCost', 'timeCost', 'parallelism'] as const;

export type Argon2Cost = Readonly<Record<(typeof COST_NAMES)[number], number>>;

/** The minimum of OWASP's password storage cheat sheet. */
export const DEFAULT_ARGON2_COST: Argon2Cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash above it is not computed, because a stored hash would decide about the memory and the time of a login. */
export const MAX_ARGON2_COST: Argon2Cost = { memoryCost: 262_144, timeCost: 16, parallelism: 16 };

type Variant = 'id' | 'i';

/** `$argon2id$v=19$m=<KiB>,t=<passes>,p=<lanes>$<salt>$<output>`, in unpadded base64. */
const PHC = /^\$argon2(id|i)\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Returns NaN unless the text is canonical (RFC 4648 section 3.5), without padding. */
function bytesOf(base64: string): number {
  const bytes = Buffer.from(base64, 'base64');
  return toBase64(bytes) === base64 ? bytes.length : Number.NaN;
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** A short column can cut off a hash. Whole outputs are multiples of 8 bytes. */
function isWhole(salt: string, output: string): boolean {
  const [saltBytes, outputBytes] = [bytesOf(salt), bytesOf(output)];
  return saltBytes >= 8 && saltBytes <= 64 && outputBytes >= 16 && outputBytes <= 64 && outputBytes % 8 === 0;
}

/** Returns `undefined` for a cost above the highest too. */
export function costOfArgon2(variant: Variant, hash: string): Argon2Cost | undefined {
  const [, name, m, t, p, salt, output] = PHC.exec(hash) ?? [];
  if (name !== variant || salt === undefined || output === undefined || !isWhole(salt, output)) return undefined;
  const cost = { memoryCost: Number(m), timeCost: Number(t), parallelism: Number(p) };
  const isComputable = cost.memoryCost >= 8 * cost.parallelism;
  return isComputable && COST_NAMES.every((name) => cost[name] <= MAX_ARGON2_COST[name]) ? cost : undefined;
}

export function hashArgon2id(password: string, cost: Argon2Cost): Promise<string> {
  return computeWith(library, ({ hash }) => hash(password, cost));
}

/** Blocks the event loop: for `InMemoryUserStore` alone. */
export function hashArgon2idSync(password: string): string {
  return library().hashSync(password, DEFAULT_ARGON2_COST);
}

function argon2Format(variant: Variant): KnownFormat {
  return {
    name: `argon2${variant}`,
    identify: (hash) => hash.startsWith(`$argon2${variant}$`),
    isComputable: (hash) => costOfArgon2(variant, hash) !== undefined,
    costText: (hash) => hash.split('$')[3] ?? '',
    readsWhole: () => true,
    load: library,
    verify: (password, hash) => computeWith(library, ({ verify }) => verify(hash, password)),
  };
}

export const argon2id = argon2Format('id');
export const argon2i = argon2Format('i');

/** No password matches it, and a comparison takes as long as with a real hash. */
export function decoyArgon2id({ memoryCost, timeCost, parallelism }: Argon2Cost): string {
  const [salt, output] = [toBase64(randomBytes(16)), toBase64(randomBytes(32))];
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${output}`;
}
