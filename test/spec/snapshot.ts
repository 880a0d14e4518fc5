import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { EVENT_MEMBERS } from '../helpers/events.js';
import { readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');

/** One answer over HTTP. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** With its members in their order. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Everything of one version of all packages that hosts and their clients rely on. */
export interface Snapshot {
  readonly answers: Readonly<Record<string, RecordedAnswer>>;
  /** The members of each type of audit event. */
  readonly events: Readonly<Record<string, readonly string[]>>;
  /** The codes of the process warnings. */
  readonly warnings: readonly string[];
  /** The exports of each entry point, each with a digest of its declaration. */
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const REPORTS = {
  '.': 'docs/api/index.d.ts.api.md',
  './openapi': 'docs/api/openapi/index.d.ts.api.md',
  './testing': 'docs/api/testing/index.d.ts.api.md',
  'express-merchant-auth-client': 'docs/api/client/index.d.ts.api.md',
  'express-merchant-auth-audit': 'docs/api/audit/index.d.ts.api.md',
};

/** Takes the snapshot of the code. `npm run api:check` checks the reports that it reads. */
export function takeSnapshot(answers: Snapshot['answers']): Snapshot {
  return {
    answers,
    events: EVENT_MEMBERS,
    warnings: warningCodes(),
    exports: Object.fromEntries(Object.entries(REPORTS).map(([entry, page]) => [entry, exportsIn(readPage(page))])),
  };
}

function warningCodes(): string[] {
  const files = fs.readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts')).map((file) => readPage(path.join('src', file)));
  return [...new Set(sources.flatMap((text) => text.match(/(?<=')EMA_\w+(?=')/g) ?? []))].sort();
}

/** Returns the exported names in a report of API Extractor, each with a digest of its declarations. */
function exportsIn(report: string): Record<string, string> {
  const declarations = report.split(/^\/\/ @\w+.*\n/m).slice(1);
  const byName = new Map<string, string>();
  for (const declaration of declarations) {
    const [, name] = /^export (?:declare )?(?:abstract )?(?:\w+) (\w+)/m.exec(declaration) ?? [];
    if (name !== undefined) byName.set(name, `${byName.get(name) ?? ''}${declaration}`);
  }
  return Object.fromEntries([...byName].map(([name, text]) => [name, digestOf(text)]));
}

/** Returns a digest that ignores white space and the end of the report. */
function digestOf(text: string): string {
  const [declaration = ''] = text.split(/^(?:```|\/\/ \(No )/m);
  return createHash('sha256').update(declaration.replace(/\s+/g, ' ').trim()).digest('hex').slice(0, 12);
}
