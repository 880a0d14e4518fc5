'use strict';

/** The users of the tests. The passwords are bcrypt hashes, as bcryptjs, PHP and other programs write them. */
const USERS = [
  { username: 'awa', password: 'baobab-2026', role: 'owner', merchantRef: 'BTQ-1001', prefix: '$2a$' },
  { username: 'binta', password: 'mangue-2026', role: 'cashier', merchantRef: 'BTQ-1001', prefix: '$2b$' },
  { username: 'kofi', password: 'calebasse-2026', role: 'owner', merchantRef: 'CNT-1002', prefix: '$2y$' },
  { username: 'sira', password: 'k'.repeat(80), role: 'owner', merchantRef: 'SRA-1003', prefix: '$2a$' },
  { username: 'fermee', password: 'fermeture-2026', role: 'owner', merchantRef: 'ANC-1004', prefix: '$2a$' },
  { username: 'mariam', password: 'tamarin-2026', role: 'owner', merchantRef: 'MRM-1005', prefix: '$2a$' },
];

/** Adds the users as the back office does, and gives each hash the prefix of the program that wrote it. */
exports.addUsers = async ({ db, load }) => {
  for (const { prefix, ...user } of USERS) {
    const { username } = user;
    await load('models/users').create({ ...user, email: `${username}@till.example`, phone: '+2250700000001' });
    const sql = 'UPDATE users SET password = CONCAT(?, SUBSTRING(password, 5)) WHERE username = ?';
    await db.query(sql, [prefix, username]);
  }
  await db.query("UPDATE users SET status = 'disabled' WHERE username = 'fermee'");
};

exports.passwordOf = (name) => USERS.find(({ username }) => username === name).password;
