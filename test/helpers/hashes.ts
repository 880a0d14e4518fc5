import { PASSWORD_HASH } from './accounts.js';

const [SALT = '', OUTPUT = ''] = PASSWORD_HASH.split('$').slice(-2);

/** The hash of `PASSWORD` at the least cost that argon2 has. */
export const LOW_COST_HASH =
  '$argon2id$v=19$m=8,t=1,p=1$rGsMO9huI+GeQ3AYz8zZ1Q$+/wNy6FQjfrdG3foIwl0JuPKFtG6Bwd6rw8VUY5df3I';

interface Phc {
  readonly m?: number | string;
  readonly t?: number | string;
  readonly p?: number | string;
  readonly salt?: string;
  readonly output?: string;
}

/** Returns a PHC string of argon2id. A test can make each part wrong. */
export function phc(parts: Phc): string {
  const { m = 19_456, t = 2, p = 1, salt = SALT, output = OUTPUT } = parts;
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${salt}$${output}`;
}
