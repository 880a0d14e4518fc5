/** Whether a text can be in a database: PostgreSQL takes no NUL, and a lone surrogate is stored as another letter. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Whether a text is an id as a bigint column holds it. Databases read more than that as a number: '1abc', ' 1', '1.0'. */
export function isBigint(text: string): boolean {
  return /^-?\d{1,19}$/.test(text) && String(BigInt.asIntN(64, BigInt(text))) === text;
}
