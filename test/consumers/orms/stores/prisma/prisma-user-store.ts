import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import type { Merchant, PrismaClient } from './generated/client';

const UNSTORABLE = /[\0\p{Surrogate}]/u; // NUL, and half of a surrogate pair
const isId = (id: string) => /^[1-9]\d{0,18}$/.test(id) && BigInt(id) < 2n ** 63n;

const toAccount = ({ id, email, phone, referencl, statut, disabled, tokensValidAfter }: Merchant): MerchantAccount => {
  return { id: String(id), email, phone, marchand: { referencl, statut }, disabled, tokensValidAfter };
};

export class PrismaUserStore implements UserStore {
  private readonly prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.prisma = prisma;
  }

  async findCredentials(email: string): Promise<Credentials | null> {
    const row = UNSTORABLE.test(email) ? null : await this.prisma.merchant.findUnique({ where: { email } });
    return row && { account: toAccount(row), passwordHash: row.passwordHash };
  }

  async findById(id: string): Promise<MerchantAccount | null> {
    const row = isId(id) ? await this.prisma.merchant.findUnique({ where: { id: BigInt(id) } }) : null;
    return row && toAccount(row);
  }

  async findByIds(ids: readonly string[]): Promise<MerchantAccount[]> {
    const where = { id: { in: ids.filter(isId).map(BigInt) } };
    return (await this.prisma.merchant.findMany({ where })).map(toAccount);
  }

  async replacePasswordHash(id: string, current: string, next: string): Promise<boolean> {
    if (!isId(id)) return false;
    const where = { id: BigInt(id), passwordHash: current };
    return (await this.prisma.merchant.updateMany({ where, data: { passwordHash: next } })).count === 1;
  }
}
