import { type InferSchemaType, model, Schema } from 'mongoose';

const merchantSchema = new Schema({
  email: { type: String, required: true, unique: true },
  phone: { type: String, default: '' },
  passwordHash: { type: String, default: null },
  referencl: { type: String, required: true },
  statut: { type: Number, required: true },
  disabled: { type: Boolean, required: true, default: false },
  tokensValidAfter: { type: Date, default: null },
});

export type Merchant = InferSchemaType<typeof merchantSchema>;
export const MerchantModel = model('Merchant', merchantSchema);
