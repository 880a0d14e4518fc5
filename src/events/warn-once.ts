import { emitWarning } from 'node:process';

/** Makes a function that emits each process warning once, because every request repeats it. */
export function createWarnOnce(): (code: `EMA_${string}`, message: string) => void {
  const warned = new Set<string>();
  return (code, message) => {
    if (warned.has(message)) return;
    warned.add(message);
    emitWarning(message, { type: 'ExpressMerchantAuthWarning', code });
  };
}
