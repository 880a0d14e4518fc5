'use strict';

const { Router } = require('express');
const bcrypt = require('bcryptjs');
const jwt = require('jsonwebtoken');
const { z } = require('zod');
const ApiError = require('../lib/api-error');
const asyncHandler = require('../lib/async-handler');
const { requireToken } = require('../middleware/auth');
const validate = require('../middleware/validate');
const users = require('../models/users');

const Login = z.object({ username: z.string().min(1).max(64), password: z.string().min(1).max(200) });

const router = Router();

const toProfile = ({ id, username, role, merchantRef }) => ({ id, username, role, merchantRef });

router.post(
  '/login',
  validate(Login),
  asyncHandler(async (req, res) => {
    const { username, password } = req.body;
    const user = await users.findByUsername(username);
    const matches = user && (await bcrypt.compare(password, user.passwordHash));
    if (!matches) throw new ApiError(401, 'INVALID_CREDENTIALS', 'Wrong username or password');
    if (user.disabled) throw new ApiError(403, 'ACCOUNT_DISABLED', 'This account is disabled');
    const token = jwt.sign({ sub: String(user.id) }, process.env.JWT_SECRET, { expiresIn: '12h' });
    res.set('Cache-Control', 'no-store');
    res.json({ success: true, data: { user: toProfile(user), token } });
  }),
);

router.all('/login', () => {
  throw new ApiError(405, 'METHOD_NOT_ALLOWED', 'Method Not Allowed');
});

router.get('/me', requireToken, (req, res) => {
  res.json({ success: true, data: toProfile(req.user) });
});

module.exports = router;
