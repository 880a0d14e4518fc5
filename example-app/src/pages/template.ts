import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PUBLIC, withVersions } from './assets.js';

/** Reads a page, and returns a function that puts values in place of each `{{name}}`. A name needs a value. */
export function readTemplate(file: string): (values: Readonly<Record<string, string>>) => string {
  const template = withVersions(readFileSync(path.join(PUBLIC, file), 'utf8'));
  return function fillIn(values) {
    return template.replace(/\{\{(\w+)\}\}/g, (_match, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${file} uses {{${name}}}, which has no value.`);
      return value;
    });
  };
}

/** Makes a text safe in the content of an element and in a quoted attribute. */
export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
