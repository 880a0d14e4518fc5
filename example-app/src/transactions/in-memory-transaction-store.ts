import type { Transaction, TransactionStore } from './transaction.js';

/** Keeps the transactions until the process ends. */
export class InMemoryTransactionStore implements TransactionStore {
  readonly #byId = new Map<string, Transaction>();
  readonly #byRequest = new Map<string, Transaction>();

  add(transaction: Transaction): Promise<Transaction> {
    const { refercence_cl, merchant_transaction_id } = transaction;
    const key = JSON.stringify([refercence_cl, merchant_transaction_id]);
    const stored = this.#byRequest.get(key);
    if (stored !== undefined) return Promise.resolve(stored);
    this.#byRequest.set(key, transaction);
    this.#byId.set(transaction.id, transaction);
    return Promise.resolve(transaction);
  }

  list(referencl: string): Promise<readonly Transaction[]> {
    return Promise.resolve([...this.#byId.values()].filter(({ refercence_cl }) => refercence_cl === referencl));
  }

  find(referencl: string, id: string): Promise<Transaction | null> {
    const found = this.#byId.get(id);
    return Promise.resolve(found?.refercence_cl === referencl ? found : null);
  }
}
