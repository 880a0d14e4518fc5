'use strict';

const { Router } = require('express');
const { createLogin, createPasswords, merchantOf } = require('express-merchant-auth');
const { z } = require('zod');
const ApiError = require('../lib/api-error');
const asyncHandler = require('../lib/async-handler');
const { requireToken } = require('../middleware/auth');
const validate = require('../middleware/validate');
const users = require('../models/users');

const Login = z.object({ username: z.string().min(1).max(64), password: z.string().min(1).max(200) });

const decoyHashes = ['$2a$10$NFB1zGEHbWkjBU7UqjYUW.IOwBVL2lGLzNCvcps.oCJGPw6yKhjqC']; // of a made-up password
const login = createLogin(users, { passwords: createPasswords({ decoyHashes }) });
const router = Router();

const toProfile = ({ id, username, role, merchantRef }) => ({ id: Number(id), username, role, merchantRef });

router.post(
  '/login',
  validate(Login),
  asyncHandler(async (req, res) => {
    const { username, password } = req.body;
    const { account: user, token } = await login.attempt(req, { identifier: username, password });
    res.set('Cache-Control', 'no-store');
    res.json({ success: true, data: { user: toProfile(user), token } });
  }),
);

router.all('/login', () => {
  throw new ApiError(405, 'METHOD_NOT_ALLOWED', 'Method Not Allowed');
});

router.get('/me', requireToken, (req, res) => {
  res.json({ success: true, data: toProfile(merchantOf(req).account) });
});

module.exports = router;
