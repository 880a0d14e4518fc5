import type { PasswordFormat } from '../../src/index.js';

/** Formats of a host that fail with `reason`: in `identify`, in `verify` at once, and in what it promises. */
export function brokenFormats(reason: Error): PasswordFormat[] {
  const throwing = () => {
    throw reason;
  };
  return [
    { name: 'broken', identify: throwing, verify: () => Promise.resolve(true) },
    { name: 'broken', identify: () => true, verify: throwing },
    { name: 'broken', identify: () => true, verify: () => Promise.reject(reason) },
  ];
}
