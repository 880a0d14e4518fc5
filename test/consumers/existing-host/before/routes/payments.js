'use strict';

const { Router } = require('express');
const { z } = require('zod');
const ApiError = require('../lib/api-error');
const asyncHandler = require('../lib/async-handler');
const { requireRole } = require('../middleware/auth');
const validate = require('../middleware/validate');
const payments = require('../models/payments');

const Payment = z.object({
  merchantRef: z.string(),
  amount: z.number().int().positive(),
  currency: z.string().length(3),
});

const router = Router();

router.param(
  'id',
  asyncHandler(async (req, res, next) => {
    req.payment = await payments.find(req.params.id, req.user.merchantRef);
    if (!req.payment) throw new ApiError(404, 'NOT_FOUND', 'Not Found');
    next();
  }),
);

router.post(
  '/',
  validate(Payment),
  asyncHandler(async (req, res) => {
    if (req.body.merchantRef !== req.user.merchantRef) throw new ApiError(403, 'FORBIDDEN', 'Forbidden');
    res.status(201).json({ success: true, data: await payments.create(req.body) });
  }),
);

router.get('/:id', (req, res) => {
  res.json({ success: true, data: req.payment });
});

router.post(
  '/:id/refund',
  requireRole('owner'),
  asyncHandler(async (req, res) => {
    res.json({ success: true, data: await payments.refund(req.payment) });
  }),
);

module.exports = router;
