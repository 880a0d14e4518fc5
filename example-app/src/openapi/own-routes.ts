import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Has the same relative path from `dist` and from `src`. */
const FILE = path.resolve(__dirname, '../../openapi.json');

export interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  /** An empty list for an operation that needs no token. */
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly schema: { readonly description: string } }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
  readonly responses: Readonly<Record<string, object>>;
}

export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The members of openapi.json, which is written by hand. It describes the routes of this app without their errors. */
interface OwnRoutes {
  readonly info: { readonly title: string; readonly description: string };
  readonly servers: readonly object[];
  readonly tags: readonly object[];
  readonly security: readonly object[];
  readonly paths: Paths;
  readonly components: {
    readonly headers: object;
    readonly responses: object;
    readonly schemas: {
      readonly NewTransaction: { readonly properties: Readonly<Record<string, { readonly description: string }>> };
    };
  };
}

export const ownRoutes = JSON.parse(readFileSync(FILE, 'utf8')) as OwnRoutes;
