import { emitWarning } from 'node:process';

export const HOUR_MS = 60 * 60 * 1000;

/** `againAfterMs` counts from the last warning with this message. Default: only once. */
export type Warn = (code: `EMA_${string}`, message: string, againAfterMs?: number, cause?: string) => void;

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
