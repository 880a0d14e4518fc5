import type { RecordedAnswer, Snapshot } from './snapshot.js';

/** A difference between two versions that hosts or their clients can notice. */
export interface Change {
  /** The name by which the changelog has to mention it. */
  readonly name: string;
  /** False for texts that people read. */
  readonly isBreaking: boolean;
}

/** Returns what was removed or changed since the last version. Additions are not in the list. */
export function changesBetween(last: Snapshot, current: Snapshot): Change[] {
  return [
    ...Object.entries(last.answers).flatMap(([key, answer]) => changesOf(answer, current.answers[key])),
    ...last.warnings.filter((code) => !current.warnings.includes(code)).map(breaking),
  ];
}

/**
 * Returns each rule that the changelog of a version breaks. A change has to be mentioned by its name between
 * backquotes. A breaking change needs an item with **Breaking**, and a new major. Before 1.0 it needs a new minor.
 */
export function complaintsAbout(version: string, changes: readonly Change[], section: string): string[] {
  const items = section.split(/\n(?=\s*- |\s*\n|#)/);
  const isMentioned = ({ name, isBreaking }: Change) =>
    items.some((item) => item.includes(`\`${name}\``) && (!isBreaking || item.includes('**Breaking**')));
  const canBreak = version.endsWith(version.startsWith('0.') ? '.0' : '.0.0');
  const missing = changes.filter((change) => !isMentioned(change));
  return [
    ...new Set([
      ...missing.map(({ name, isBreaking }) => {
        return `CHANGELOG.md ${version} needs ${isBreaking ? 'a **Breaking** item' : 'an item'} about \`${name}\``;
      }),
      ...(!canBreak && section.includes('**Breaking**') ? [`${version} cannot have a **Breaking** item`] : []),
    ]),
  ];
}

/** Returns the highest of the versions below another one. */
export function lastBefore(version: string, versions: readonly string[]): string | undefined {
  return versions
    .filter((one) => compare(one, version) < 0)
    .sort(compare)
    .at(-1);
}

function compare(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

function breaking(name: string): Change {
  return { name, isBreaking: true };
}

function changesOf(answer: RecordedAnswer, current: RecordedAnswer | undefined): Change[] {
  if (JSON.stringify(answer) === JSON.stringify(current)) return [];
  const name = typeof answer.body['error'] === 'string' ? answer.body['error'] : 'POST /login';
  return [{ name, isBreaking: current === undefined || withoutTexts(answer) !== withoutTexts(current) }];
}

/** Returns an answer as JSON, without the sentences of an error. Their members stay. */
function withoutTexts({ body, ...answer }: RecordedAnswer): string {
  const isError = 'error' in body;
  return JSON.stringify({ ...answer, body }, (key, value: unknown) => {
    if (key === 'www-authenticate') return String(value).replace(/error_description="[^"]*"/, 'error_description');
    return isError && (key === 'message' || key === 'description') ? typeof value : value;
  });
}
