import { auditRows } from '../rows/audit-rows.js';
import type { RowAudit } from '../rows/report.js';
import type { App } from '../ask/routes.js';
import { type Options, Unusable } from './options.js';

/** Asks the GET routes of apps, or of a running host, as two callers. Returns the exit code and the text of the command. */
export async function auditCallers(
  targets: readonly (App | string)[],
  { callers: [one = {}, other = {}], json }: Options,
): Promise<{ code: number; text: string }> {
  const audits: RowAudit[] = [];
  try {
    for (const target of targets)
      audits.push(
        await auditRows(target, [
          { name: 'A', headers: one },
          { name: 'B', headers: other },
        ]),
      );
  } catch (error) {
    throw error instanceof TypeError ? new Unusable(error.message.replace('auditRows: ', 'rows: ')) : error;
  }
  const code = audits.some(({ findings }) => findings.length > 0) ? 1 : 0;
  if (json) return { code, text: `${JSON.stringify(audits, null, 2)}\n` };
  const advice =
    code === 1
      ? 'Find each row by its id and by its owner, the caller. Answer 404 to all others.'
      : 'No GET route shows the rows of one caller to the other, as far as requests can tell. Answer the questions.';
  return { code, text: `${audits.join('\n\n')}\n\n${advice}\n` };
}
