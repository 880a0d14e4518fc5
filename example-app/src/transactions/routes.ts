import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { merchantOf, requireOwnReference } from 'express-merchant-auth';
import { ApiError } from '../errors/api-error.js';
import { isSameRequest, parseNewTransaction } from './schema.js';
import type { Transaction, TransactionStore } from './transaction.js';

/**
 * Serves the transactions. Mount it after `requireBearer`, which reads the body and identifies the caller. The
 * `status` of an answer about one transaction is its state, because clients could read `Success` as paid.
 */
export function createTransactionRouter(store: TransactionStore): Router {
  const router = Router();

  router.post('/', requireOwnReference(), async (req, res) => {
    const transaction: Transaction = {
      id: randomUUID(),
      status: 'INITIATED',
      refercence_cl: merchantOf(req).referencl,
      ...parseNewTransaction(req.body),
      created_at: new Date().toISOString(),
    };
    const stored = await store.add(transaction);
    const isNew = stored.id === transaction.id;
    if (!isNew && !isSameRequest(stored, transaction)) throw new ApiError('transaction_conflict');
    const code = isNew ? 201 : 200;
    const message = isNew ? 'Transaction initiated' : 'Transaction found';
    res
      .status(code)
      .location(`${req.baseUrl}/${stored.id}`)
      .json({ status: stored.status, success: true, code, message, transaction: stored });
  });

  router.get('/', async (req, res) => {
    const transactions = await store.list(merchantOf(req).referencl);
    res.json({ status: 'Success', success: true, code: 200, message: 'Transactions found', transactions });
  });

  router.get('/:id', async (req, res) => {
    const transaction = await store.find(merchantOf(req).referencl, req.params.id);
    if (transaction === null) throw new ApiError('not_found');
    res.json({ status: transaction.status, success: true, code: 200, message: 'Transaction found', transaction });
  });

  return router;
}
