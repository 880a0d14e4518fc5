/** What a merchant says of a transaction when it initiates one. */
export interface NewTransaction {
  /** The merchant's own name for it. */
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
  /** The merchant it belongs to. */
  readonly refercence_cl: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
}

/** Where the transactions are. Reading takes the owner's reference, so that nobody is shown what is another's. */
export interface TransactionStore {
  /**
   * Stores the transaction, unless the merchant already has one with this `merchant_transaction_id`. Resolves with the
   * one that is stored, also when several calls come at once.
   */
  add(transaction: Transaction): Promise<Transaction>;
  /** The merchant's transactions, oldest first. */
  list(referencl: string): Promise<readonly Transaction[]>;
  /** `null` also when the transaction is another merchant's. */
  find(referencl: string, id: string): Promise<Transaction | null>;
}
