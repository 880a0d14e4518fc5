'use strict';

/** Passes the rejection of an async handler to next, because Express 4 does not. */
module.exports = (handler) => (req, res, next) => {
  handler(req, res, next).catch(next);
};
