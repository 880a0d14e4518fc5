import { setImmediate } from 'node:timers/promises';
import argon2 from '@node-rs/argon2';
import bcrypt from '@node-rs/bcrypt';

interface Computation {
  readonly kind: 'hash' | 'verify';
  readonly algorithm: 'argon2' | 'bcrypt';
  readonly password: string;
  /** The hash that a comparison gets. */
  readonly hash: string | undefined;
}

export interface HeldComputation extends Computation {
  /** Ends it with `true` or `false` for a comparison, with a hash, or with an error. */
  end(result: unknown): void;
}

const libraries = { argon2, bcrypt } as unknown as Readonly<Record<Computation['algorithm'], Functions>>;
type Functions = Record<string, (...args: unknown[]) => unknown>;
const real = { argon2: { ...libraries.argon2 }, bcrypt: { ...libraries.bcrypt } };

/**
 * Records every computation of either library for the rest of this test, when it starts. It ends as `outcome` says, or
 * is really made when there is none.
 */
export function stubComputations<Kind extends Computation = Computation>(
  outcome?: (computation: Kind) => unknown,
): Kind[] {
  const started: Kind[] = [];
  for (const algorithm of ['argon2', 'bcrypt'] as const) {
    for (const kind of ['hash', 'verify'] as const) {
      libraries[algorithm][kind] = (...args) => {
        // argon2.verify has the hash first, bcrypt.verify the password.
        const [password, hash] = kind === 'verify' && algorithm === 'argon2' ? [args[1], args[0]] : args;
        const computation = {
          kind,
          algorithm,
          password: String(password),
          hash: kind === 'verify' ? String(hash) : undefined,
        } as Kind;
        started.push(computation);
        return Promise.resolve(outcome ? outcome(computation) : real[algorithm][kind]?.(...args));
      };
    }
    for (const name of Object.keys(real[algorithm]).filter((key) => /Sync$|^compare$|^hashRaw$/.test(key))) {
      libraries[algorithm][name] = () => {
        throw new Error(`${name} is a computation that nobody counts.`);
      };
    }
  }
  return started;
}

const held = new Set<HeldComputation>();

/** Like `stubComputations`, and each computation lasts until the test ends it. */
export function holdComputations(): HeldComputation[] {
  return stubComputations<HeldComputation>(
    (computation) =>
      new Promise((resolve, reject) => {
        held.add(computation);
        Object.assign(computation, {
          end: (result: unknown) => {
            held.delete(computation);
            if (result instanceof Error) reject(result);
            else resolve(result);
          },
        });
      }),
  );
}

afterEach('end what was held, and compute again', async () => {
  while (held.size > 0) {
    for (const computation of [...held]) computation.end(false);
    // When a computation ends, the next one gets its slot.
    await setImmediate();
  }
  for (const algorithm of ['argon2', 'bcrypt'] as const) Object.assign(libraries[algorithm], real[algorithm]);
});
