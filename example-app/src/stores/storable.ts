/** Returns true if a database can store the text. PostgreSQL refuses NUL. A lone surrogate would be stored as U+FFFD. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Returns true for the canonical text of a bigint. Databases also read '1abc', ' 1' and '1.0' as the number 1. */
export function isBigint(text: string): boolean {
  return /^-?\d{1,19}$/.test(text) && String(BigInt.asIntN(64, BigInt(text))) === text;
}
