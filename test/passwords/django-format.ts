import { pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { PasswordFormat } from '../../src/index.js';

const DJANGO = /^pbkdf2_sha256\$([1-9]\d{0,6})\$([^$]+)\$([A-Za-z0-9+/]{43}=)$/;
const MAX_ITERATIONS = 2_000_000; // a row must not decide that a login takes minutes

export const django: PasswordFormat = {
  name: 'django',
  identify: (hash) => Number(DJANGO.exec(hash)?.[1]) <= MAX_ITERATIONS,
  async verify(password, hash) {
    const [, iterations, salt = '', output = ''] = DJANGO.exec(hash) ?? [];
    const computed = await promisify(pbkdf2)(password, salt, Number(iterations), 32, 'sha256');
    return timingSafeEqual(computed, Buffer.from(output, 'base64'));
  },
};
