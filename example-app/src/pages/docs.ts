import { Marked } from 'marked';
import type { ApiDocument } from '../openapi/document.js';
import { escape, readTemplate } from './template.js';

const fillIn = readTemplate('docs.html');

/** Makes no link of an email, because nobody reads the mail of a demo account. */
const markdown = new Marked({ tokenizer: { url: () => undefined } });

/** Returns the HTML of `/docs` with the text of the document, which a slow connection shows long before Swagger UI. */
export function renderDocs({ info, paths }: ApiDocument): string {
  const operations = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => {
      return `<li><code>${method.toUpperCase()} ${escape(route)}</code> ${escape(summary)}</li>`;
    }),
  );
  return fillIn({
    title: escape(info.title),
    description: markdown.parse(info.description, { async: false }),
    operations: operations.join('\n'),
  });
}
