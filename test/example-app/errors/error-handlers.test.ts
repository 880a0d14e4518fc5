import { expect } from 'chai';
import express, { type ErrorRequestHandler } from 'express';
import { answerErrors } from '../../../example-app/src/errors/error-handlers.js';
import { serve } from '../../helpers/http.js';

describe('example-app: answerErrors', () => {
  it('leaves an answer that has begun to Express, which closes the connection', async () => {
    const tooLate = new Error('too late');
    const passedOn: unknown[] = [];
    const recordError: ErrorRequestHandler = (error, _req, _res, next) => {
      passedOn.push(error);
      next(error);
    };
    const app = express();
    app.get('/', (_req, res) => {
      res.write('{"status":"Success"');
      throw tooLate;
    });
    app.use(answerErrors, recordError);
    const client = await serve(app);
    const failure: unknown = await client.send('GET', '/').catch((error: unknown) => error);
    expect(failure).to.include({ code: 'ECONNRESET', message: 'aborted' });
    expect(passedOn).to.deep.equal([tooLate]);
  });
});
