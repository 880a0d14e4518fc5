import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import { authErrorHandler, createLoginRouter, requireBearer } from '../../../src/index.js';
import { accountStore } from '../../../test/helpers/accounts.js';
import { HOST, outcomeOfCase } from '../contract.js';

/** Replaces a text in each answer. */
const rewriting =
  (from: string, to: string): RequestHandler =>
  (_req, res, next) => {
    const end = res.end.bind(res) as (text: string) => typeof res;
    Object.assign(res, {
      end(chunk: string | Buffer) {
        const text = String(chunk).replace(from, to);
        res.setHeader('Content-Length', Buffer.byteLength(text));
        return end(text);
      },
    });
    next();
  };

describe('the case on the answer to a good login', () => {
  for (const [problem, from, to] of [
    ['message', '"message":"Login success",', ''],
    ['user.name', '"phone"', '"name":"Awa","phone"'],
    ['user.email', '"email":"awa@boutique.example",', ''],
    ['authorisation.jwt', '"token":', '"jwt":"","token":'],
    ['user.phone', '"phone":"+2250700000001"', '"phone":null'],
    ['marchand.statut', '"statut":1', '"statut":"1"'],
    ['success', '"success":true', '"success":false'],
    ['authorisation.type', '"bearer"', '"Bearer"'],
  ] as const) {
    it(`names ${problem} when ${from} becomes ${to || 'nothing'}`, async () => {
      const userStore = accountStore();
      const app = express().use(rewriting(from, to)).use('/v1', createLoginRouter(userStore));
      app.use('/v1', requireBearer({ userStore }), authErrorHandler());
      const outcome = await outcomeOfCase('login and guard', { ...HOST, app });
      expect(outcome).to.contain(`In the answer to a good login, ${problem} is not as in docs/interface.md 2.2.`);
    });
  }
});
