CREATE TABLE IF NOT EXISTS transactions (
  position bigint AUTO_INCREMENT PRIMARY KEY,
  id varchar(36) NOT NULL UNIQUE,
  refercence_cl varchar(255) NOT NULL,
  merchant_transaction_id varchar(64) NOT NULL,
  amount bigint NOT NULL,
  currency varchar(3) NOT NULL,
  created_at datetime(3) NOT NULL COMMENT 'in UTC',
  INDEX transactions_of_merchant (refercence_cl, position)
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */;
