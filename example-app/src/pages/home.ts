import { readFileSync } from 'node:fs';
import path from 'node:path';
import { firstCall } from '../announce.js';
import type { DemoAccount } from '../demo-accounts.js';
import type { ApiDocument } from '../openapi/document.js';

const TEMPLATE = readFileSync(path.resolve(__dirname, '../../public/home.html'), 'utf8');

/** Returns the HTML of `/`, with the routes of the document and the demo accounts. */
export function renderHome({ paths }: ApiDocument, accounts: readonly DemoAccount[]): string {
  const routes = Object.entries(paths).flatMap(([route, operations]) =>
    Object.entries(operations).map(([method, { summary }]) => [
      toCode(`${method.toUpperCase()} ${route}`),
      escape(summary),
    ]),
  );
  const values: Readonly<Record<string, string>> = {
    call: escape(firstCall('http://localhost:3000', accounts)),
    routes: toRows(routes),
    accounts: toRows(accounts.map(cellsOf)),
    hidden: accounts.length === 0 ? 'hidden' : '',
  };
  return TEMPLATE.replace(/\{\{(\w+)\}\}/g, (_match, name: string) => values[name] ?? '');
}

function cellsOf({ email, password, marchand, disabled }: DemoAccount): string[] {
  return [toCode(email), toCode(password), toCode(marchand.referencl), disabled ? 'disabled' : 'active'];
}

function toRows(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
}

function toCode(text: string): string {
  return `<code>${escape(text)}</code>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
