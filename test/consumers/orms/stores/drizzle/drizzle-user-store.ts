import { and, eq, inArray } from 'drizzle-orm';
import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import { countUpdated, db } from './database';
import { merchants } from './schema';

const UNSTORABLE = /[\0\p{Surrogate}]/u; // NUL, and half of a surrogate pair
const isId = (id: string) => /^[1-9]\d{0,18}$/.test(id) && BigInt(id) < 2n ** 63n;

type Merchant = typeof merchants.$inferSelect;

const toAccount = ({ id, email, phone, referencl, statut, disabled, tokensValidAfter }: Merchant): MerchantAccount => {
  return { id: String(id), email, phone, marchand: { referencl, statut }, disabled, tokensValidAfter };
};

export class DrizzleUserStore implements UserStore {
  async findCredentials(email: string): Promise<Credentials | null> {
    if (UNSTORABLE.test(email)) return null;
    const [row] = await db.select().from(merchants).where(eq(merchants.email, email));
    return row ? { account: toAccount(row), passwordHash: row.passwordHash } : null;
  }

  async findById(id: string): Promise<MerchantAccount | null> {
    const [account = null] = await this.findByIds([id]);
    return account;
  }

  async findByIds(ids: readonly string[]): Promise<MerchantAccount[]> {
    const where = inArray(merchants.id, ids.filter(isId).map(BigInt));
    return (await db.select().from(merchants).where(where)).map(toAccount);
  }

  async replacePasswordHash(id: string, current: string, next: string): Promise<boolean> {
    if (!isId(id)) return false;
    const where = and(eq(merchants.id, BigInt(id)), eq(merchants.passwordHash, current));
    return countUpdated(await db.update(merchants).set({ passwordHash: next }).where(where)) === 1;
  }
}
