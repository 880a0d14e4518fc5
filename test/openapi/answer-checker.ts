import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Answer } from '../helpers/http.js';
import type { Operation } from '../helpers/refusals.js';
import { type Document, responseOf } from './host-document.js';

/** Returns each difference between an answer and the document. */
export type AnswerChecker = (
  operation: Operation,
  answer: Pick<Answer, 'status' | 'headers' | 'json'>,
) => readonly string[];

/** The headers that this package sets with a meaning for the client. */
const OWN_HEADERS = ['cache-control', 'retry-after', 'www-authenticate'];

/** Creates a checker that uses JSON Schema alone, so that it does not depend on OpenAPI tools. */
export function answerChecker(document: Document): AnswerChecker {
  // `strict` would reject the members of an OpenAPI document, and ajv has no format date-time.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'document');

  const complaintsAbout = (where: string, schema: object, value: unknown): string[] => {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
    const validate = ajv.compile(absolute);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${where}${instancePath} ${message}`);
  };

  return ({ method, path }, answer) => {
    const response = responseOf(document, method, path, answer.status);
    if (response === undefined) return [`status ${answer.status} is not described`];
    const described = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
    const undescribed = OWN_HEADERS.filter((name) => answer.headers[name] !== undefined && !described.has(name));
    const wrong = Object.entries(response.headers ?? {}).flatMap(([name, { required, schema }]) => {
      const value = answer.headers[name.toLowerCase()];
      if (value === undefined) return required === true ? [`${name} is missing`] : [];
      const isNumber = (schema as { type?: unknown }).type === 'integer';
      return complaintsAbout(name, schema, isNumber ? Number(value) : value);
    });
    const headers = [...undescribed.map((name) => `${name} is not described`), ...wrong];
    const [mediaType = ''] = (answer.headers['content-type'] ?? '').split(';');
    const content = response.content[mediaType];
    if (content === undefined) return [...headers, `${mediaType} is not described`];
    return [...headers, ...complaintsAbout('body', content.schema, answer.json)];
  };
}
