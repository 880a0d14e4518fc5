import { createPasswords } from 'express-merchant-auth';

/** Prints the format of a new hash of each algorithm, and if its password matches. */
for (const algorithm of ['argon2id', 'bcrypt']) {
  const passwords = createPasswords({ algorithm });
  const hash = await passwords.hash('baobab-2026');
  console.log(hash.split('$')[1], await passwords.verify('baobab-2026', hash));
}
