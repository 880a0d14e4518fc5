/** What the comparison depends on, so that a result says which versions it is of. */
export const COMPARED_PACKAGES = [
  'express',
  'express4',
  'express-jwt',
  'express-oauth2-jwt-bearer',
  'jose',
  'passport-jwt',
  'passport',
  'jsonwebtoken',
  '@node-rs/argon2',
  'pg',
] as const;
