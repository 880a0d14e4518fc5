import { inspect } from 'node:util';
import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import type { AuthErrorCode } from '../../src/errors/catalogue.js';

export function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was rejected.');
}

/** Asserts a TypeError for a mistake of the developer, with exactly this message and without a secret. */
export function expectTypeError(call: () => unknown, message: string, ...secrets: readonly string[]): void {
  const error = thrownBy(call);
  expect(error).to.be.instanceOf(TypeError);
  expect((error as TypeError).message).to.equal(message);
  const seen = inspect(error, { depth: Infinity, showHidden: true });
  for (const secret of secrets) expect(seen).not.to.contain(secret);
}

export function expectAuthError(error: unknown, code: AuthErrorCode): AuthError {
  expect(error).to.be.instanceOf(AuthError);
  expect((error as AuthError).code).to.equal(code);
  return error as AuthError;
}
