import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { merchantOf, requireOwnReference } from 'express-merchant-auth';
import { ApiError } from '../errors/api-error.js';
import { brokenRules, isSameRequest, parseList, parseNewTransaction } from './schema.js';
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
    const { referencl } = merchantOf(req);
    const { merchant_transaction_id: requested, limit, after } = parseList(req.query);
    const answer = (transactions: readonly Transaction[], has_more: boolean) =>
      res.json({ status: 'Success', success: true, code: 200, message: 'Transactions found', transactions, has_more });
    if (requested !== undefined) {
      const found = await store.findRequested(referencl, requested);
      answer(found === null ? [] : [found], false);
      return;
    }
    if (after !== undefined && (await store.find(referencl, after)) === null) {
      const message = 'after must be the id of one of your transactions.';
      throw brokenRules('invalid_query', [{ field: 'after', rule: 'exists', message }]);
    }
    // One more than the page shows if there is a next page.
    const found = await store.list(referencl, { limit: limit + 1, ...(after !== undefined && { after }) });
    answer(found.slice(0, limit), found.length > limit);
  });

  router.get('/:id', async (req, res) => {
    const transaction = await store.find(merchantOf(req).referencl, req.params.id);
    if (transaction === null) throw new ApiError('not_found');
    res.json({ status: transaction.status, success: true, code: 200, message: 'Transaction found', transaction });
  });

  return router;
}
