import { createPasswords } from 'express-merchant-auth';
import { demoAccounts } from '../demo-accounts.js';

/** Returns the demo accounts as rows: email, phone, password_hash, referencl, statut, disabled. The database sets ids. */
export async function hashDemoRows(): Promise<readonly (readonly (string | number | boolean)[])[]> {
  const passwords = createPasswords();
  return Promise.all(
    demoAccounts.map(async ({ email, phone, password, marchand: { referencl, statut }, disabled }) => {
      return [email, phone, await passwords.hash(password), referencl, statut, disabled];
    }),
  );
}
