import { test } from 'node:test';
import { InMemoryUserStore } from 'express-merchant-auth';
import { createApp } from './build/app.js';
import { AWA, casesOf } from '../shared/cases.cjs';

for (const { name, run } of casesOf(() => createApp(new InMemoryUserStore([AWA])))) test(name, run);
