import { readdirSync, readFileSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import type * as Parser from '@actions/workflow-parser';
import { buildSync } from 'esbuild';

const ROOT = path.resolve(__dirname, '../..');
const FOLDER = '.github/workflows';

/** A workflow as GitHub reads it, and the problems that GitHub would report. */
export interface Workflow {
  readonly problems: readonly string[];
  readonly content: unknown;
}

/** Loads GitHub's parser through a bundler, because Node.js cannot import its JSON files. */
function loadParser(): typeof Parser {
  const stdin = { contents: `export * from '@actions/workflow-parser'`, resolveDir: ROOT };
  const options = { bundle: true, format: 'cjs', platform: 'node', write: false, logLevel: 'warning' } as const;
  const [bundle] = buildSync({ stdin, ...options }).outputFiles;
  const loaded = new Module('workflow-parser') as Module & { _compile(code: string, file: string): void };
  loaded._compile(bundle?.text ?? '', 'workflow-parser.cjs');
  return loaded.exports as typeof Parser;
}

let parser: typeof Parser | undefined;

export function parseWorkflow(name: string, content: string): Workflow {
  parser ??= loadParser();
  const { context, value } = parser.parseWorkflow({ name, content }, new parser.NoOperationTraceWriter());
  const problems = context.errors.getErrors().map(({ message }) => message);
  return { problems, content: JSON.parse(JSON.stringify(value ?? null), toPlain) as unknown };
}

/** Returns the workflows of this repository, by their file. */
export function readWorkflows(): ReadonlyMap<string, Workflow> {
  const files = readdirSync(path.join(ROOT, FOLDER)).filter((name) => /\.ya?ml$/.test(name));
  return new Map(files.map((name) => [name, parseWorkflow(name, readFileSync(path.join(ROOT, FOLDER, name), 'utf8'))]));
}

type Token =
  | { readonly type: 1; readonly seq: unknown[] }
  | { readonly type: 2; readonly map: readonly { readonly Key: string; readonly Value: unknown }[] }
  | { readonly type: 3; readonly expr: string };

/** Replaces a token of the parser by its value. An expression becomes its text. */
function toPlain(_key: string, value: unknown): unknown {
  const { type } = (value ?? {}) as Partial<Token>;
  const token = value as Token;
  if (type === undefined || typeof type === 'string') return value;
  if (token.type === 1) return token.seq ?? [];
  if (token.type === 2) return Object.fromEntries((token.map ?? []).map(({ Key, Value }) => [Key, Value]));
  return token.expr;
}
