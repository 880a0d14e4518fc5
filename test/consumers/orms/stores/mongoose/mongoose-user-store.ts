import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import type { Types } from 'mongoose';
import { type Merchant, MerchantModel } from './merchant';

const UNSTORABLE = /[\0\p{Surrogate}]/u; // half of a surrogate pair is stored as another letter
const isId = (id: string) => /^[\da-f]{24}$/.test(id);

const toAccount = (found: Merchant & { _id: Types.ObjectId }): MerchantAccount => {
  const { _id, email, phone = '', referencl, statut, disabled = false, tokensValidAfter = null } = found;
  return { id: String(_id), email, phone, marchand: { referencl, statut }, disabled, tokensValidAfter };
};

export class MongooseUserStore implements UserStore {
  async findCredentials(email: string): Promise<Credentials | null> {
    const found = UNSTORABLE.test(email) ? null : await MerchantModel.findOne({ email: { $eq: email } }).lean();
    return found && { account: toAccount(found), passwordHash: found.passwordHash ?? null };
  }

  async findById(id: string): Promise<MerchantAccount | null> {
    const found = isId(id) ? await MerchantModel.findById(id).lean() : null;
    return found && toAccount(found);
  }

  async findByIds(ids: readonly string[]): Promise<MerchantAccount[]> {
    return (await MerchantModel.find({ _id: { $in: ids.filter(isId) } }).lean()).map(toAccount);
  }

  async replacePasswordHash(id: string, current: string, next: string): Promise<boolean> {
    if (!isId(id)) return false;
    const filter = { _id: id, passwordHash: { $eq: current } };
    return (await MerchantModel.updateOne(filter, { passwordHash: next })).modifiedCount === 1;
  }
}
