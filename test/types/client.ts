// `npm run types` compiles this file. The client has its own types, which must be those of the core.
import type { LoginSuccess } from '../../client/src/index.js';
import { GUARD_CODES } from '../../client/src/guard-refusal.js';
import type { AuthErrorCode } from '../../src/index.js';
import type { schemas } from '../../src/openapi/schemas.js';

/** The names of the members of an object, and those one level below. */
type Members<Body> = { readonly [Name in keyof Body]: Body[Name] extends object ? keyof Body[Name] : never };

type Documented = ReturnType<typeof schemas>['SuccessfulLogin']['examples'][0];

export const inTheClient = (documented: Members<Documented>): Members<LoginSuccess> => documented;
export const inTheDocument = (known: Members<LoginSuccess>): Members<Documented> => known;

export const codes: readonly AuthErrorCode[] = GUARD_CODES;
