/** Holes, and what only the host can judge. Each text begins with its route. `String(audit)` lists all. */
export interface RowAudit {
  /** GET routes that showed one caller a row of the other. */
  readonly findings: readonly string[];
  /** GET routes that showed both the same, which can be everyone's, as in a catalogue. */
  readonly questions: readonly string[];
  /** GET routes that say nothing: no id fits, they are not asked or answer too late, or a limit refused. */
  readonly unclear: readonly string[];
  /** The number of requests. */
  readonly asked: number;
  toString(): string;
}

export type Report = ReturnType<typeof createReport>;

/** Keeps the first text on each route. */
export function createReport() {
  const findings = new Map<string, string>();
  const questions = new Map<string, string>();
  const unclear = new Set<string>();
  const note = (notes: Map<string, string>, route: string, text: string) =>
    notes.set(route, notes.get(route) ?? `GET ${route}: ${text}`);
  return {
    find: (route: string, text: string) => note(findings, route, text),
    ask: (route: string, text: string) => note(questions, route, `${text}. Are these everyone's rows?`),
    unclear,
    auditOf: (asked: number): RowAudit => {
      const lists = {
        findings: [...findings.values()],
        questions: [...questions.values()],
        unclear: [...unclear].map((route) => `GET ${route}`),
      };
      const lines = Object.entries(lists).map(([title, all]) => [`${all.length} ${title}`, ...all].join('\n  '));
      return { ...lists, asked, toString: () => [...lines, `${asked} requests`].join('\n') };
    },
  };
}
