import os from 'node:os';
import { mock } from 'node:test';
import { expect } from 'chai';
import { defaultConcurrentHashes } from '../../src/passwords/passwords-options.js';
import { createPasswords } from '../../src/passwords/passwords.js';
import { expectTypeError } from '../helpers/thrown.js';
import { setVariable } from '../helpers/variables.js';

afterEach('restore the real machine', () => mock.restoreAll());

describe('the options of createPasswords', () => {
  it('accept a cost from the default to the highest, and no other', () => {
    for (const [algorithm, name, least, most] of [
      ['argon2id', 'memoryCost', 19_456, 262_144],
      ['argon2id', 'timeCost', 2, 16],
      ['argon2id', 'parallelism', 1, 16],
      ['bcrypt', 'bcryptCost', 12, 15],
    ] as const) {
      for (const value of [least, most, undefined]) createPasswords({ algorithm, [name]: value });
      for (const value of [least - 1, most + 1]) {
        expectTypeError(
          () => createPasswords({ algorithm, [name]: value }),
          `createPasswords: ${name} must be a whole number from ${least} to ${most}.`,
        );
      }
    }
  });

  it('compute at least one hash at a time', () => {
    for (const value of [0, 1.5, null]) {
      expectTypeError(
        () => createPasswords({ maxConcurrentHashes: value as never }),
        'createPasswords: maxConcurrentHashes must be a whole number at least 1.',
      );
    }
  });

  it('throws for unknown options', () => {
    expectTypeError(
      () => createPasswords({ rounds: 12 } as never),
      'createPasswords: unknown option "rounds". Known options: algorithm, memoryCost, timeCost, parallelism, ' +
        'bcryptCost, formats, decoyHashes, maxConcurrentHashes.',
    );
  });

  it('have one of two algorithms', () => {
    for (const algorithm of ['argon2i', 'Bcrypt', null]) {
      expectTypeError(
        () => createPasswords({ algorithm: algorithm as never }),
        "createPasswords: algorithm must be one of 'argon2id', 'bcrypt'.",
      );
    }
  });

  it('have no cost of the algorithm that was not chosen', () => {
    for (const [algorithm, name, value] of [
      ['argon2id', 'bcryptCost', 13],
      [undefined, 'bcryptCost', 13],
      ['bcrypt', 'memoryCost', 65_536],
      ['bcrypt', 'timeCost', 3],
      ['bcrypt', 'parallelism', 2],
    ] as const) {
      expectTypeError(
        () => createPasswords({ ...(algorithm && { algorithm }), [name]: value }),
        `createPasswords: ${name} is not a cost of ${algorithm ?? 'argon2id'}, the algorithm of new hashes.`,
      );
    }
    createPasswords({ algorithm: 'bcrypt', timeCost: undefined as never });
  });
});

describe('defaultConcurrentHashes', () => {
  it('is half of the threads of libuv, at least one and at most the cores', () => {
    for (const [size, cores, hashes] of [
      [undefined, 8, 2],
      [undefined, 1, 1],
      ['1', 8, 1],
      ['3', 8, 1],
      ['16', 64, 8],
      ['128', 8, 8],
      ['-4', 8, 1],
      ['', 8, 1],
      ['many', 8, 1],
      ['4.5', 8, 2],
      ['6 threads', 8, 3],
    ] as const) {
      mock.method(os, 'availableParallelism', () => cores);
      setVariable('UV_THREADPOOL_SIZE', size);
      expect(defaultConcurrentHashes(), `${size} threads, ${cores} cores`).to.equal(hashes);
    }
  });
});
