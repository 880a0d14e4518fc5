'use strict';

const bcrypt = require('bcryptjs');
const db = require('../db');

const SELECT = 'SELECT user_id, username, email, phone, password, role, merchant_ref, status FROM users';

const toUser = (row) => ({
  id: row.user_id,
  username: row.username,
  email: row.email,
  phone: row.phone,
  role: row.role,
  merchantRef: row.merchant_ref,
  disabled: row.status === 'disabled',
});

exports.findByUsername = async (username) => {
  const [[row]] = await db.execute(`${SELECT} WHERE username = ?`, [username]);
  return row ? { ...toUser(row), passwordHash: row.password } : null;
};

exports.findById = async (id) => {
  const [[row]] = await db.execute(`${SELECT} WHERE user_id = ?`, [id]);
  return row ? toUser(row) : null;
};

exports.create = async ({ username, email, phone, password, role, merchantRef }) => {
  await db.execute(
    'INSERT INTO users (username, email, phone, password, role, merchant_ref) VALUES (?, ?, ?, ?, ?, ?)',
    [username, email, phone, await bcrypt.hash(password, 10), role, merchantRef],
  );
};
