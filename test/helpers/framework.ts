import express from 'express';
import * as auth from '../../src/index.js';

/** Express 5 and the package, for suites whose source does not see Express. */
export const FRAMEWORK = { auth, express };
