import { createLogin, createPasswords, type UserStore } from 'express-merchant-auth';
import { readRedisUrl, readSecret } from '../settings.js';
import { openSharedThrottle } from '../shared-throttle.js';
import { isDuplicate } from '../stores/duplicate.js';
import type { MerchantStore } from '../stores/merchant-store.js';
import { isStorable } from '../stores/storable.js';
import { readPassword } from './read-password.js';

/** The options of all commands. */
export type Options = Readonly<Partial<Record<'referencl' | 'phone' | 'statut' | 'source', string>>>;

interface Order {
  /** As it is stored, if the account exists. */
  readonly email: string;
  readonly exists: boolean;
  readonly options: Options;
  readonly userStore: UserStore;
  readonly merchants: MerchantStore;
  readonly env: NodeJS.ProcessEnv;
}

interface Command {
  readonly options: readonly (keyof Options)[];
  /** Resolves to the sentence for the operator. */
  readonly run: (order: Order) => Promise<string>;
}

const hashPassword = async () => createPasswords().hash(await readPassword());

/** Matches a text that begins or ends with white space, a control character or an invisible one. */
const UNSEEN_END = /^[\p{Z}\p{Cc}\p{Cf}]|[\p{Z}\p{Cc}\p{Cf}]$/u;

const isText = (text: string) => text.length <= 255 && isStorable(text);

export const commands: Readonly<Record<string, Command>> = {
  add: { options: ['referencl', 'phone', 'statut'], run: add },
  disable: {
    options: [],
    async run({ email, merchants }) {
      await merchants.setDisabled(email, true);
      return `${email} is disabled: its tokens and its logins get 401.`;
    },
  },
  enable: {
    options: [],
    async run({ email, merchants }) {
      await merchants.setDisabled(email, false);
      return `${email} is enabled. Its tokens from before work again until they expire, unless you run log-out.`;
    },
  },
  password: {
    options: [],
    async run({ email, merchants }) {
      await merchants.setPassword(email, await hashPassword());
      return `${email} has the new password. All its tokens have ended.`;
    },
  },
  'log-out': {
    options: [],
    async run({ email, merchants }) {
      await merchants.logOut(email);
      return `${email} is logged out everywhere: all its tokens have ended.`;
    },
  },
  unlock: { options: ['source'], run: unlock },
};

async function add({ email, exists, options, merchants }: Order): Promise<string> {
  const { referencl = '', phone = '', statut = '1' } = options;
  for (const [name, text] of Object.entries({ EMAIL: email, '--referencl': referencl })) {
    if (UNSEEN_END.test(text))
      throw new Error(`${name} begins or ends with white space or an invisible character. Remove it.`);
  }
  if (!/^(?=.{5})[^\s@]+@[^\s@]+$/u.test(email) || !isText(email))
    throw new Error('EMAIL must be an email of at least 5 characters.');
  if (referencl === '' || !isText(referencl)) throw new Error('--referencl must be the reference of the merchant.');
  if (!isText(phone)) throw new Error('--phone must have at most 255 characters.');
  if (!/^-?\d{1,9}$/.test(statut)) throw new Error('--statut must be a whole number.');
  const taken = new Error(`${email} exists already. Nothing is changed.`);
  if (exists) throw taken;
  const passwordHash = await hashPassword();
  await merchants.add({ email, phone, passwordHash, referencl, statut: Number(statut) }).catch((error: unknown) => {
    throw isDuplicate(error) ? taken : error;
  });
  return `${email} is added and can log in. It acts for ${referencl}, as all accounts with this reference do.`;
}

async function unlock({ email, options: { source }, userStore, env }: Order): Promise<string> {
  const url = readRedisUrl(env);
  if (url === undefined) throw new Error('REDIS_URL is not set: each process counts in its memory until it restarts.');
  if (readSecret(env) === undefined)
    throw new Error('JWT_SECRET is not set. Use that of the app: it names the counters.');
  const shared = await openSharedThrottle(url, () => undefined);
  try {
    await shared.check().catch((cause: unknown) => {
      throw new Error('The Redis of REDIS_URL does not answer. Nothing is unlocked.', { cause });
    });
    await createLogin(userStore, { throttle: shared.throttle }).forgive(email, source === undefined ? {} : { source });
  } finally {
    shared.close();
  }
  if (source !== undefined) {
    return `The failed logins of ${email}, from ${source} and over all sources, are forgiven. Those of the address with other emails still count.`;
  }
  return `The failed logins of ${email} over all sources are forgiven. For those from one address, give --source.`;
}
