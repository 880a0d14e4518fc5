ALTER TABLE transactions ADD COLUMN IF NOT EXISTS status text NOT NULL DEFAULT 'INITIATED';

-- A merchant that repeats a request gets the stored transaction.
CREATE UNIQUE INDEX IF NOT EXISTS transactions_once ON transactions (refercence_cl, merchant_transaction_id);
