import { createServer } from 'node:http';
import { expect } from 'chai';
import { listen } from '../../example-app/src/listen.js';
import { serve } from '../helpers/http.js';
import { rejectionOf } from '../helpers/thrown.js';

describe('example-app: listen', () => {
  it('says which variable to set when it cannot listen', async () => {
    const { port } = await serve(() => undefined);
    for (const [problem, fix, usedPort, host, prefix] of [
      ['address already in use', 'PORT to another port', port, '127.0.0.1', ''],
      ['address already in use', 'METRICS_PORT to another port', port, '127.0.0.1', 'METRICS_'],
      ['address not available', 'HOST to an address of this machine', 0, '203.0.113.7', ''],
    ] as const) {
      const error = await rejectionOf(listen(createServer(), usedPort, host, prefix));
      expect(String(error))
        .to.include(problem)
        .and.to.match(new RegExp(`\\. Set ${fix}\\.$`));
    }
  });
});
