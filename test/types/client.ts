// `npm run types` compiles this file. The client's own types and the schema of the API document must have the same members.
import type { LoginSuccess } from '../../client/src/index.js';
import type { SCHEMAS } from '../../src/openapi/schemas.js';

/** The names of the members of an object, and those one level below. */
type Members<Body> = { readonly [Name in keyof Body]: Body[Name] extends object ? keyof Body[Name] : never };

type Documented = (typeof SCHEMAS)['SuccessfulLogin']['examples'][0];

export const inTheClient = (documented: Members<Documented>): Members<LoginSuccess> => documented;
export const inTheDocument = (known: Members<LoginSuccess>): Members<Documented> => known;
