'use strict';

const db = require('../db');

const SELECT = 'SELECT payment_id AS id, merchant_ref AS merchantRef, amount, currency, status FROM payments';

exports.find = async (id, merchantRef) => {
  const [[row]] = await db.execute(`${SELECT} WHERE payment_id = ? AND merchant_ref = ?`, [id, merchantRef]);
  return row;
};

exports.create = async ({ merchantRef, amount, currency }) => {
  const [{ insertId }] = await db.execute('INSERT INTO payments (merchant_ref, amount, currency) VALUES (?, ?, ?)', [
    merchantRef,
    amount,
    currency,
  ]);
  return exports.find(insertId, merchantRef);
};

exports.refund = async ({ id, merchantRef }) => {
  await db.execute("UPDATE payments SET status = 'refunded' WHERE payment_id = ?", [id]);
  return exports.find(id, merchantRef);
};
