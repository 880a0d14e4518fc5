import { emitWarning } from 'node:process';

/** The usual time after which a warning is repeated. */
export const HOUR_MS = 60 * 60 * 1000;

/** Warns with message and cause, unless the message was emitted less than `againAfterMs` ago. Default: only once. */
export type Warn = (code: `EMA_${string}`, message: string, againAfterMs?: number, cause?: string) => void;

/** Emits a process warning of this package. Its code tells the host which problem it is. */
export function emitPackageWarning(code: `EMA_${string}`, message: string): void {
  emitWarning(message, { type: 'ExpressMerchantAuthWarning', code });
}

export function createWarn(): Warn {
  const warnedAt = new Map<string, number>();
  return (code, message, againAfterMs = Infinity, cause = '') => {
    const now = Date.now();
    if (now - (warnedAt.get(message) ?? -Infinity) < againAfterMs) return;
    warnedAt.set(message, now);
    emitPackageWarning(code, message + cause);
  };
}
