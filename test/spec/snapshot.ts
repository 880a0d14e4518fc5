import fs from 'node:fs';
import path from 'node:path';
import { readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');

/** One answer over HTTP. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** With its members in their order. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The facts that hosts and their clients rely on in one version, and that no report of docs/api shows. */
export interface Snapshot {
  readonly answers: Readonly<Record<string, RecordedAnswer>>;
  /** The codes of the process warnings. */
  readonly warnings: readonly string[];
}

/**
 * Returns the name of each answer and warning that the last version had and that is gone or different: the code of a
 * refusal, `success`, or the code of a warning. Additions are not in the list.
 */
export function changesBetween(last: Snapshot, current: Snapshot): string[] {
  const textOf = (answer: RecordedAnswer | undefined) => JSON.stringify(answer);
  const changed = Object.entries(last.answers).filter(
    ([key, answer]) => textOf(answer) !== textOf(current.answers[key]),
  );
  const codes = changed.map(([key]) => key.replace(/ .*/, ''));
  return [...new Set(codes), ...last.warnings.filter((code) => !current.warnings.includes(code))];
}

/** Returns the codes of the process warnings in src. */
export function warningCodes(): string[] {
  const files = fs.readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts')).map((file) => readPage(path.join('src', file)));
  return [...new Set(sources.flatMap((text) => text.match(/(?<=')EMA_\w+(?=')/g) ?? []))].sort();
}
