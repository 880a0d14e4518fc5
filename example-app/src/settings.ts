const DEFAULT_PORT = 3000;
const MAX_PORT = 65_535;

/** The port to listen on; 0 lets the system choose one. */
export function readPort({ PORT = '' }: NodeJS.ProcessEnv): number {
  if (PORT === '') return DEFAULT_PORT;
  const port = Number(PORT);
  if (!/^\d+$/.test(PORT) || port > MAX_PORT) {
    throw new TypeError(`PORT must be a whole number from 0 to ${MAX_PORT}.`);
  }
  return port;
}

/** The secret that signs the tokens, or `undefined` when none is set. */
export function readSecret({ JWT_SECRET = '' }: NodeJS.ProcessEnv): string | undefined {
  return JWT_SECRET === '' ? undefined : JWT_SECRET;
}
