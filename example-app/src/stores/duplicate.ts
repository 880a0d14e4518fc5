/** The codes of a unique index that refuses a row: the SQLSTATE of PostgreSQL, and the number of MySQL and MariaDB. */
const CODES: readonly unknown[] = ['23505', 1062];

/** Returns true for the error of a row that a unique index refuses. */
export function isDuplicate(error: unknown): boolean {
  const { code, errno } = error as { readonly code?: unknown; readonly errno?: unknown };
  return CODES.includes(code) || CODES.includes(errno);
}
