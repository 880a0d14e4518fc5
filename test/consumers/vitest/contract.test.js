import express from 'express';
import * as auth from 'express-merchant-auth';
import { auditRoutes, authContract } from 'express-merchant-auth-audit';
import { expect, test } from 'vitest';
import { AWA } from '../shared/cases.cjs';
import { createShortestHost } from '../shared/shortest-host.cjs';

const createHost = async () => ({
  app: createShortestHost(express, auth),
  merchant: { email: AWA.email, password: AWA.password, referencl: AWA.marchand.referencl },
  transactions: { body: (refercence_cl) => ({ refercence_cl, amount: 500 }) },
  leaveOut: { 'each route behind a guard is covered, swept, refused or left out': 'It keeps no rows.' },
});

test('no route is reachable without a guard', async () => {
  expect((await auditRoutes((await createHost()).app)).findings).toEqual([]);
});
for (const { name, run } of authContract(createHost)) test(name, run);
