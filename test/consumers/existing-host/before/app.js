'use strict';

const express = require('express');
const { requireToken } = require('./middleware/auth');
const { errorHandler, notFound } = require('./middleware/errors');
const auth = require('./routes/auth');
const payments = require('./routes/payments');

const app = express();
app.set('trust proxy', 1);
app.use(express.json());
app.use('/auth', auth);
app.use('/payments', requireToken, payments);
app.use(notFound);
app.use(errorHandler);

module.exports = app;
