import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import type { Knex } from 'knex';

const UNSTORABLE = /[\0\p{Surrogate}]/u; // NUL, and half of a surrogate pair
const isId = (id: string) => /^[1-9]\d{0,18}$/.test(id) && BigInt(id) < 2n ** 63n;

interface MerchantRow {
  id: string | number;
  email: string;
  phone: string;
  password_hash: string | null;
  referencl: string;
  statut: number;
  disabled: boolean | 0 | 1;
  tokens_valid_after: Date | null;
}

const toAccount = ({ id, email, phone, referencl, statut, ...row }: MerchantRow): MerchantAccount => {
  const [disabled, tokensValidAfter] = [Boolean(row.disabled), row.tokens_valid_after];
  return { id: String(id), email, phone, marchand: { referencl, statut }, disabled, tokensValidAfter };
};

export class KnexUserStore implements UserStore {
  private readonly knex: Knex;

  constructor(knex: Knex) {
    this.knex = knex;
  }

  async findCredentials(email: string): Promise<Credentials | null> {
    const row = UNSTORABLE.test(email) ? undefined : await this.merchants().where({ email }).first();
    return row ? { account: toAccount(row), passwordHash: row.password_hash } : null;
  }

  async findById(id: string): Promise<MerchantAccount | null> {
    const [account = null] = await this.findByIds([id]);
    return account;
  }

  async findByIds(ids: readonly string[]): Promise<MerchantAccount[]> {
    return (await this.merchants().whereIn('id', ids.filter(isId))).map(toAccount);
  }

  async replacePasswordHash(id: string, current: string, next: string): Promise<boolean> {
    if (!isId(id)) return false;
    return (await this.merchants().where({ id, password_hash: current }).update({ password_hash: next })) === 1;
  }

  private merchants() {
    return this.knex<MerchantRow>('merchants');
  }
}
