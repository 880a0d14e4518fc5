import { parseArgs } from 'node:util';
import { messageOf } from '../message-of.js';
import { readDatabase } from '../settings.js';
import { openStores } from '../stores/open-stores.js';
import { commands, type Options } from './commands.js';

const USAGE = `Usage: node example-app/dist/operate.js merchant COMMAND EMAIL
  add --referencl REFERENCE [--phone PHONE] [--statut NUMBER]   reads the password from stdin
  disable | enable | log-out
  password                                                      reads the password from stdin
  unlock [--source ADDRESS]
`;

const TEXT = { type: 'string' } as const;

const IN_MEMORY =
  'DATABASE_URL is not set, so the accounts are in the memory of the app. Set the environment of the app.';

/** Runs one command of the operator, and resolves to a sentence about what it did. */
export async function operate(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { name, email, options } = readArguments(args);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (
    command === undefined ||
    Object.keys(options).some((option) => !command.options.includes(option as keyof Options))
  ) {
    throw new Error(USAGE);
  }
  const database = readDatabase(env);
  if (database === undefined) throw new Error(IN_MEMORY);
  const stores = await openStores({ ...database, seedDemo: false }, () => undefined);
  const { userStore, merchants } = stores;
  let sentence: string;
  try {
    const stored = await userStore.findCredentials(email);
    if (stored === null && name !== 'add') throw new Error(`There is no merchant with the email ${email}.`);
    const order = { email: stored?.account.email ?? email, exists: stored !== null, options, env };
    sentence = await command.run({ ...order, userStore, merchants });
  } catch (error) {
    await stores.close().catch((closing: unknown) => {
      const reasons = `${messageOf(error)}\nThe database did not close: ${messageOf(closing)}`;
      throw new Error(reasons, { cause: error });
    });
    throw error;
  }
  await stores.close();
  return sentence;
}

/** Throws the usage without the arguments, because one of them may be a password. */
function readArguments(args: string[]): { readonly name: string; readonly email: string; readonly options: Options } {
  try {
    const options = { referencl: TEXT, phone: TEXT, statut: TEXT, source: TEXT };
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    const [noun, name, email, ...others] = positionals;
    if (noun === 'merchant' && name && email && others.length === 0) return { name, email, options: values };
  } catch {
    // An unknown option.
  }
  throw new Error(USAGE);
}
