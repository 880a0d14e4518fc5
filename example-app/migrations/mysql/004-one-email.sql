-- Emails that differ only in letter case are one email, at lookup as for uniqueness. MariaDB indexes no expression, so the
-- index is on a computed column. The file asks first, and can be run again, as 003-transaction-states.sql can.
-- The column referencl has no unique key by intent: several accounts can share one reference and its transactions.
-- On a duplicate: Two emails in merchants differ only in letter case. Find them with SELECT lower(email) FROM merchants GROUP BY 1 HAVING count(*) > 1, change or delete one, and start again.
SET @statement = IF(
  (SELECT COUNT(*) FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'merchants' AND column_name = 'email_lower') > 0,
  'DO 0',
  'ALTER TABLE merchants ADD COLUMN email_lower varchar(255) AS (lower(email)) VIRTUAL,
    ADD UNIQUE KEY merchants_email_once (email_lower)'
);
PREPARE add_email_lower FROM @statement;
EXECUTE add_email_lower;
DEALLOCATE PREPARE add_email_lower;
