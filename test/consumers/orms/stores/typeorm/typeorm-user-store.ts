import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import { type DataSource, type FindOptionsWhere, In } from 'typeorm';
import { User } from './user';

const UNSTORABLE = /[\0\p{Surrogate}]/u; // NUL, and half of a surrogate pair
const isId = (id: string) => /^[1-9]\d{0,18}$/.test(id) && BigInt(id) < 2n ** 63n;

const toAccount = ({ id, email, phone, merchant, disabled, tokensValidAfter }: User): MerchantAccount => {
  const { referencl, statut } = merchant;
  return { id, email, phone, marchand: { referencl, statut }, disabled, tokensValidAfter };
};

export class TypeOrmUserStore implements UserStore {
  private readonly dataSource: DataSource;

  constructor(dataSource: DataSource) {
    this.dataSource = dataSource;
  }

  async findCredentials(email: string): Promise<Credentials | null> {
    const [user] = UNSTORABLE.test(email) ? [] : await this.find({ email });
    return user ? { account: toAccount(user), passwordHash: user.passwordHash } : null;
  }

  async findById(id: string): Promise<MerchantAccount | null> {
    const [account = null] = await this.findByIds([id]);
    return account;
  }

  async findByIds(ids: readonly string[]): Promise<MerchantAccount[]> {
    return (await this.find({ id: In(ids.filter(isId)) })).map(toAccount);
  }

  async replacePasswordHash(id: string, current: string, next: string): Promise<boolean> {
    if (!isId(id)) return false;
    const users = this.dataSource.getRepository(User);
    return (await users.update({ id, passwordHash: current }, { passwordHash: next })).affected === 1;
  }

  /** Reads both tables in one query. `findOne` makes two. */
  private find(where: FindOptionsWhere<User>): Promise<User[]> {
    return this.dataSource.getRepository(User).find({ where, relations: { merchant: true } });
  }
}
