import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import { Merchant } from './merchant';

const UNSTORABLE = /[\0\p{Surrogate}]/u; // NUL, and half of a surrogate pair
const isId = (id: string) => /^[1-9]\d{0,18}$/.test(id) && BigInt(id) < 2n ** 63n;

const toAccount = ({ id, email, phone, referencl, statut, disabled, tokensValidAfter }: Merchant): MerchantAccount => {
  return { id: String(id), email, phone, marchand: { referencl, statut }, disabled, tokensValidAfter };
};

export class SequelizeUserStore implements UserStore {
  async findCredentials(email: string): Promise<Credentials | null> {
    const row = UNSTORABLE.test(email) ? null : await Merchant.findOne({ where: { email } });
    return row && { account: toAccount(row), passwordHash: row.passwordHash };
  }

  async findById(id: string): Promise<MerchantAccount | null> {
    const row = isId(id) ? await Merchant.findByPk(id) : null;
    return row && toAccount(row);
  }

  async findByIds(ids: readonly string[]): Promise<MerchantAccount[]> {
    return (await Merchant.findAll({ where: { id: ids.filter(isId) } })).map(toAccount);
  }

  async replacePasswordHash(id: string, current: string, next: string): Promise<boolean> {
    if (!isId(id)) return false;
    const [rows] = await Merchant.update({ passwordHash: next }, { where: { id, passwordHash: current } });
    return rows === 1;
  }
}
