import type { PasswordFormat } from '../../src/index.js';

/** Formats of a host that fail with `reason`: in `recognises`, in `verify` at once, and in what it promises. */
export function brokenFormats(reason: Error): PasswordFormat[] {
  const throwing = () => {
    throw reason;
  };
  return [
    { name: 'broken', recognises: throwing, verify: () => Promise.resolve(true) },
    { name: 'broken', recognises: () => true, verify: throwing },
    { name: 'broken', recognises: () => true, verify: () => Promise.reject(reason) },
  ];
}
