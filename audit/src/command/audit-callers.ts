import type { App } from '../ask/routes.js';
import { auditRows } from '../rows/audit-rows.js';
import type { Callers } from '../rows/client.js';
import type { RowAudit } from '../rows/report.js';
import { type Outcome, Unusable } from './options.js';

export async function auditCallers(
  targets: readonly (App | string)[],
  callers: Callers,
  json: boolean,
): Promise<Outcome> {
  const audits: RowAudit[] = [];
  try {
    for (const target of targets) audits.push(await auditRows(target, callers));
  } catch (error) {
    throw new Unusable((error as Error).message.replace('auditRows: ', 'rows: '));
  }
  const code = audits.some(({ findings }) => findings.length > 0) ? 1 : 0;
  if (json) return { code, text: `${JSON.stringify(audits, null, 2)}\n` };
  const advice =
    code === 1
      ? 'Find each row by its id and by its owner, the caller. Answer 404 to all others.'
      : 'No GET route shows the rows of one caller to the other, as far as requests can tell. Answer the questions.';
  return { code, text: `${audits.join('\n\n')}\n\n${advice}\n` };
}
