import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { writeJson } from '../../src/http/write-json.js';
import { serve } from '../helpers/http.js';

describe('writeJson', () => {
  it('answers with the status, the headers and the text, and counts its bytes', async () => {
    const client = await serve((_req: unknown, res: ServerResponse) => {
      writeJson(res, 401, '{"é":1}', { 'WWW-Authenticate': 'Bearer' });
    });
    const { status, headers, text } = await client.send('GET', '/');
    expect([status, text]).to.deep.equal([401, '{"é":1}']);
    expect(headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '8',
      'www-authenticate': 'Bearer',
    });
  });
});
