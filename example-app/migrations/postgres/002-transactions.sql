CREATE TABLE IF NOT EXISTS transactions (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  refercence_cl text COLLATE "C" NOT NULL,
  merchant_transaction_id text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  created_at timestamptz(3) NOT NULL
);

CREATE INDEX IF NOT EXISTS transactions_of_merchant ON transactions (refercence_cl, position);
