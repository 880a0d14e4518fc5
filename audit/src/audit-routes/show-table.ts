import type { AuditedRoute } from './route-audit.js';

const HEADER = ['METHOD', 'PATH', 'GUARD', 'ACCOUNT', 'REFERENCE'];

export function showTable(routes: readonly AuditedRoute[]): string {
  const rows = routes.map(({ method, path, guard, account, reference }) => {
    return [method, path, guard, account ? 'yes' : 'no', reference];
  });
  const table = [HEADER, ...rows];
  const widths = HEADER.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const showRow = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return table.map((row) => showRow(row).trimEnd()).join('\n');
}
