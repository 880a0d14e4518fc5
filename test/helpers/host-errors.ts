import type { Application } from 'express';
import type { FRAMEWORK } from './framework.js';

/**
 * Mounts the error handlers of a host, which print nothing.
 * @returns the errors that reach them
 */
export function collectHostErrors(app: Application, auth: typeof FRAMEWORK.auth): unknown[] {
  const errors: unknown[] = [];
  app.use((err: unknown, _req: unknown, _res: unknown, next: (err: unknown) => void) => {
    errors.push(err);
    next(err);
  });
  app.use(auth.authErrorHandler({ log: () => undefined }));
  return errors;
}
