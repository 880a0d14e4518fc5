import { createMerchantClient, MerchantApiError, type MerchantClientOptions } from 'express-merchant-auth-client';

/** Creates a transaction and returns its status, or the code of the error. */
export async function pay(options: MerchantClientOptions, amount: number): Promise<number | string | undefined> {
  const merchant = createMerchantClient(options);
  try {
    const body = JSON.stringify({ refercence_cl: await merchant.referencl(), amount });
    const headers = { 'Content-Type': 'application/json' };
    return (await merchant.fetch('/transactions', { method: 'POST', headers, body })).status;
  } catch (error) {
    return error instanceof MerchantApiError ? error.error : String(error);
  }
}
