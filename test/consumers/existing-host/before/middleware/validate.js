'use strict';

const ApiError = require('../lib/api-error');

/** Checks the body against a schema of zod. The next handlers see the body that the schema returns. */
module.exports = (schema) => (req, res, next) => {
  const { success, data, error } = schema.safeParse(req.body);
  if (!success) {
    const { path, message } = error.issues[0];
    throw new ApiError(400, 'VALIDATION_ERROR', `${path.join('.')}: ${message}`);
  }
  req.body = data;
  next();
};
