import type { Page, Transaction, TransactionStore } from './transaction.js';

/** Keeps the transactions until the process ends. */
export class InMemoryTransactionStore implements TransactionStore {
  readonly #byId = new Map<string, Transaction>();
  readonly #byRequest = new Map<string, Transaction>();

  add(transaction: Transaction): Promise<Transaction> {
    const { refercence_cl, merchant_transaction_id } = transaction;
    const key = keyOf(refercence_cl, merchant_transaction_id);
    const stored = this.#byRequest.get(key);
    if (stored !== undefined) return Promise.resolve(stored);
    this.#byRequest.set(key, transaction);
    this.#byId.set(transaction.id, transaction);
    return Promise.resolve(transaction);
  }

  list(referencl: string, { limit, after }: Page): Promise<readonly Transaction[]> {
    const own = [...this.#byId.values()].filter(({ refercence_cl }) => refercence_cl === referencl);
    const start = own.findIndex(({ id }) => id === after) + 1;
    return Promise.resolve(own.slice(start, start + limit));
  }

  findRequested(referencl: string, merchantTransactionId: string): Promise<Transaction | null> {
    return Promise.resolve(this.#byRequest.get(keyOf(referencl, merchantTransactionId)) ?? null);
  }

  find(referencl: string, id: string): Promise<Transaction | null> {
    const found = this.#byId.get(id);
    return Promise.resolve(found?.refercence_cl === referencl ? found : null);
  }
}

function keyOf(referencl: string, merchantTransactionId: string): string {
  return JSON.stringify([referencl, merchantTransactionId]);
}
