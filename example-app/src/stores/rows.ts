import type { MerchantAccount } from 'express-merchant-auth';
import type { Transaction } from '../transactions/transaction.js';

/** A row of `merchants`. Both pools return a bigint as text, which is exact. MySQL returns a boolean as 0 or 1. */
export interface MerchantRow {
  readonly id: string;
  readonly email: string;
  readonly phone: string;
  readonly password_hash: string | null;
  readonly referencl: string;
  readonly statut: number;
  readonly disabled: boolean | number;
  readonly tokens_valid_after: Date | null;
}

export interface TransactionRow extends Omit<Transaction, 'amount' | 'created_at'> {
  readonly amount: string;
  readonly created_at: Date;
}

export const TRANSACTION_COLUMNS = 'id, status, refercence_cl, merchant_transaction_id, amount, currency, created_at';

export function toAccount({ id, email, phone, referencl, statut, ...row }: MerchantRow): MerchantAccount {
  const disabled = row.disabled !== false && row.disabled !== 0;
  return { id, email, phone, marchand: { referencl, statut }, disabled, tokensValidAfter: row.tokens_valid_after };
}

/** Converts a row to a transaction. An amount was a safe integer when it was stored, so Number() is exact. */
export function toTransaction(row: TransactionRow): Transaction {
  return { ...row, amount: Number(row.amount), created_at: row.created_at.toISOString() };
}
