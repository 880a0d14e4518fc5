-- Emails that differ only in the case of the letters A to Z are one email, at lookup as for uniqueness.
-- The column referencl has no unique index by intent: several accounts can share one reference and its transactions.
-- On a duplicate: Two emails in merchants differ only in letter case. Find them with SELECT lower(email) FROM merchants GROUP BY 1 HAVING count(*) > 1, change or delete one, and start again.
CREATE UNIQUE INDEX IF NOT EXISTS merchants_email_once ON merchants (lower(email));
