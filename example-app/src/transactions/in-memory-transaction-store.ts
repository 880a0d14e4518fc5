import type { Transaction, TransactionStore } from './transaction.js';

/** Keeps the transactions until the process ends. */
export class InMemoryTransactionStore implements TransactionStore {
  readonly #byId = new Map<string, Transaction>();

  add(transaction: Transaction): Promise<void> {
    this.#byId.set(transaction.id, transaction);
    return Promise.resolve();
  }

  list(referencl: string): Promise<readonly Transaction[]> {
    return Promise.resolve([...this.#byId.values()].filter(({ refercence_cl }) => refercence_cl === referencl));
  }

  find(referencl: string, id: string): Promise<Transaction | null> {
    const found = this.#byId.get(id);
    return Promise.resolve(found?.refercence_cl === referencl ? found : null);
  }
}
