import { emitWarning } from 'node:process';

/** Emits a process warning, unless the same one was emitted less than `againAfterMs` ago. Default: only once. */
export type Warn = (code: `EMA_${string}`, message: string, againAfterMs?: number) => void;

export function emitPackageWarning(code: `EMA_${string}`, message: string): void {
  emitWarning(message, { type: 'ExpressMerchantAuthWarning', code });
}

/** Makes a function that emits each process warning once, because every request would repeat it. */
export function createWarn(): Warn {
  const warnedAt = new Map<string, number>();
  return (code, message, againAfterMs = Infinity) => {
    const now = Date.now();
    if (now - (warnedAt.get(message) ?? -Infinity) < againAfterMs) return;
    warnedAt.set(message, now);
    emitPackageWarning(code, message);
  };
}
