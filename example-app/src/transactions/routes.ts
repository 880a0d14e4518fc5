import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { merchantOf, requireOwnReference } from 'express-merchant-auth';
import { ApiError } from '../errors/api-error.js';
import { parseNewTransaction } from './schema.js';
import type { Transaction, TransactionStore } from './transaction.js';

/** Stands behind `requireBearer`, which has read the body and knows the caller. */
export function createTransactionRouter(store: TransactionStore): Router {
  const router = Router();

  router.post('/', requireOwnReference(), async (req, res) => {
    const transaction: Transaction = {
      id: randomUUID(),
      refercence_cl: merchantOf(req).referencl,
      ...parseNewTransaction(req.body),
      created_at: new Date().toISOString(),
    };
    await store.add(transaction);
    res
      .status(201)
      .location(`${req.baseUrl}/${transaction.id}`)
      .json({ status: 'Success', success: true, code: 201, message: 'Transaction created', transaction });
  });

  router.get('/', async (req, res) => {
    const transactions = await store.list(merchantOf(req).referencl);
    res.json({ status: 'Success', success: true, code: 200, message: 'Transactions found', transactions });
  });

  router.get('/:id', async (req, res) => {
    const transaction = await store.find(merchantOf(req).referencl, req.params.id);
    if (transaction === null) throw new ApiError('not_found', 'There is no such transaction.');
    res.json({ status: 'Success', success: true, code: 200, message: 'Transaction found', transaction });
  });

  return router;
}
