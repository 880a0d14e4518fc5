'use strict';

const { merchantOf, requireBearer } = require('express-merchant-auth');
const ApiError = require('../lib/api-error');
const users = require('../models/users');

exports.requireToken = requireBearer({ userStore: users, respond: (error, req, res, next) => next(error) });

exports.requireRole = (role) => (req, res, next) => {
  if (merchantOf(req).account.role !== role) throw new ApiError(403, 'FORBIDDEN', 'Forbidden');
  next();
};
