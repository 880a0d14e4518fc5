import { createPasswords } from 'express-merchant-auth';
import { demoAccounts } from '../demo-accounts.js';

/** The columns of a demo row in their order. The database sets the id. */
export const DEMO_COLUMNS = 'email, phone, password_hash, referencl, statut, disabled';

/** Returns the demo accounts as rows with `DEMO_COLUMNS`. */
export async function hashDemoRows(): Promise<readonly (readonly (string | number | boolean)[])[]> {
  const passwords = createPasswords();
  return Promise.all(
    demoAccounts.map(async ({ email, phone, password, marchand: { referencl, statut }, disabled }) => {
      return [email, phone, await passwords.hash(password), referencl, statut, disabled];
    }),
  );
}
