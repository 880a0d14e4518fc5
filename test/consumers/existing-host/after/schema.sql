CREATE TABLE users (
  user_id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  username varchar(64) NOT NULL,
  email varchar(255) NOT NULL,
  phone varchar(32) NOT NULL,
  password varchar(72) NOT NULL,
  role enum('owner', 'cashier') NOT NULL,
  merchant_ref varchar(32) NOT NULL,
  status enum('active', 'disabled') NOT NULL DEFAULT 'active',
  UNIQUE users_username (username)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;

CREATE TABLE payments (
  payment_id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  merchant_ref varchar(32) NOT NULL,
  amount int unsigned NOT NULL,
  currency char(3) NOT NULL,
  status enum('pending', 'refunded') NOT NULL DEFAULT 'pending',
  KEY payments_merchant_ref (merchant_ref)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
