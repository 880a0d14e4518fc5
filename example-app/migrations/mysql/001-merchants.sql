-- The collation compares code points and does not ignore trailing spaces, at lookup as for uniqueness: no letter equals
-- another. MariaDB and MySQL have different names for it.
CREATE TABLE IF NOT EXISTS merchants (
  id bigint AUTO_INCREMENT PRIMARY KEY,
  email varchar(255) NOT NULL UNIQUE,
  phone varchar(255) NOT NULL DEFAULT '',
  password_hash text,
  referencl varchar(255) NOT NULL,
  statut int NOT NULL,
  disabled boolean NOT NULL DEFAULT false,
  tokens_valid_after datetime(3) COMMENT 'in UTC: set it to UTC_TIMESTAMP(3)'
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */;
