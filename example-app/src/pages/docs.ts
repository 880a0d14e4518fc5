import type { ApiDocument } from '../openapi/document.js';
import { escape, readTemplate } from './template.js';

const fillIn = readTemplate('docs.html');

/** The Markdown inside a paragraph that openapi.json uses. */
const MARKS: readonly (readonly [RegExp, string])[] = [
  [/`(.+?)`/g, '<code>$1</code>'],
  [/\*\*(.+?)\*\*/g, '<strong>$1</strong>'],
  [/\*(.+?)\*/g, '<em>$1</em>'],
  [/\[(.+?)\]\((\/\w+)\)/g, '<a href="$2">$1</a>'],
];

/** Returns the HTML of `/docs` with the text of the document, which a slow connection shows long before Swagger UI. */
export function renderDocs({ info, paths }: ApiDocument): string {
  const operations = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => {
      return `<li><code>${method.toUpperCase()} ${escape(route)}</code> ${escape(summary)}</li>`;
    }),
  );
  return fillIn({
    title: escape(info.title),
    description: toHtml(info.description),
    operations: operations.join('\n'),
  });
}

function toHtml(markdown: string): string {
  const blocks = escape(markdown).split('\n\n');
  return blocks.map((block) => (block.startsWith('|') ? toTable(block) : `<p>${toInline(block)}</p>`)).join('\n');
}

function toInline(text: string): string {
  return MARKS.reduce((html, [mark, element]) => html.replace(mark, element), text);
}

function toTable(block: string): string {
  const [head = '', , ...rows] = block.split('\n');
  const rowOf = (line: string, cell: 'td' | 'th') => {
    const cells = line.split('|').slice(1, -1);
    return `<tr>${cells.map((text) => `<${cell}>${toInline(text.trim())}</${cell}>`).join('')}</tr>`;
  };
  return `<table>${rowOf(head, 'th')}${rows.map((row) => rowOf(row, 'td')).join('')}</table>`;
}
