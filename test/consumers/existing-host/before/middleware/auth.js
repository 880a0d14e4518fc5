'use strict';

const passport = require('passport');
const { ExtractJwt, Strategy } = require('passport-jwt');
const ApiError = require('../lib/api-error');
const users = require('../models/users');

const options = { jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(), secretOrKey: process.env.JWT_SECRET };
const verify = ({ sub }, done) => users.findById(sub).then((user) => done(null, !user?.disabled && user), done);
passport.use(new Strategy(options, verify));
exports.requireToken = passport.authenticate('jwt', { session: false, failWithError: true });

exports.requireRole = (role) => (req, res, next) => {
  if (req.user.role !== role) throw new ApiError(403, 'FORBIDDEN', 'Forbidden');
  next();
};
