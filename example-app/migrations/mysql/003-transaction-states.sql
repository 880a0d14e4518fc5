-- One statement, so that both exist or neither. The unique key: a merchant that repeats a request gets the stored
-- transaction. MySQL has no IF NOT EXISTS for columns and keys, so the file asks first, and can be run again.
SET @statement = IF(
  (SELECT COUNT(*) FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'transactions' AND column_name = 'status') > 0,
  'DO 0',
  'ALTER TABLE transactions ADD COLUMN status varchar(16) NOT NULL DEFAULT ''INITIATED'',
    ADD UNIQUE KEY transactions_once (refercence_cl, merchant_transaction_id)'
);
PREPARE add_states FROM @statement;
EXECUTE add_states;
DEALLOCATE PREPARE add_states;
