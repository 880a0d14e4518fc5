import type { MerchantAccount } from '../store/user-store.js';

/** The body of docs/interface.md 2.2, with exactly these members in this order. */
export function successBody(
  { email, phone, marchand }: Pick<MerchantAccount, 'email' | 'phone' | 'marchand'>,
  token: string,
) {
  return {
    status: 'Success',
    success: true,
    code: 200,
    message: 'Login success',
    user: { email, phone },
    marchand: { referencl: marchand.referencl, statut: marchand.statut },
    authorisation: { token, type: 'bearer' },
  } as const;
}
