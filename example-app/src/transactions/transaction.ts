/** The fields that a merchant sends to initiate a transaction. */
export interface NewTransaction {
  /** The merchant's own id of the transaction. */
  readonly merchant_transaction_id: string;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

export interface Transaction extends NewTransaction {
  readonly id: string;
  /** `INITIATED`: nobody has paid yet. A host adds the states of its payment provider. */
  readonly status: 'INITIATED';
  /** The reference of the merchant that initiated it. */
  readonly refercence_cl: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
}

/** A part of the transactions of a merchant. */
export interface Page {
  /** The most transactions to resolve to. */
  readonly limit: number;
  /** Only transactions that were stored after the merchant's own with this id. */
  readonly after?: string;
}

/** Stores transactions. All reading methods take the caller's reference, so that no merchant sees another's data. */
export interface TransactionStore {
  /**
   * Stores the transaction, unless the merchant already has one with this `merchant_transaction_id`. Resolves to the
   * stored transaction, even when several calls run at the same time.
   */
  add(transaction: Transaction): Promise<Transaction>;
  /** Resolves to the merchant's transactions, oldest first. It reads no row that it does not return. */
  list(referencl: string, page: Page): Promise<readonly Transaction[]>;
  /** Resolves to the transaction with the merchant's own id, or to `null`. */
  findRequested(referencl: string, merchantTransactionId: string): Promise<Transaction | null>;
  /** Resolves to `null` if there is none, even if the transaction belongs to another merchant. */
  find(referencl: string, id: string): Promise<Transaction | null>;
}
