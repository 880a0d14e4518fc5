import { expect } from 'chai';
import type { AuthError } from '../../src/index.js';
import { missingReference } from '../../src/ownership/check-own-references.js';
import { expectUnreadableBody } from '../helpers/answers.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';

onEachExpress('checkOwnReferences', (framework) => {
  it('tells the caller what to send instead of a body that cannot be seen, and the host what to do', async () => {
    const { client, awa, hostErrors } = await servePayments(framework, {
      guard: { respond: (error, _req, _res, next) => next(error) },
    });
    const headers = { ...awa, 'Content-Type': 'application/x-www-form-urlencoded' };
    expectUnreadableBody(await client.send('POST', '/v1/guarded', { headers, body: 'refercence_cl=BTQ-1001' }));
    expect(hostErrors).to.have.length(1);
    expect((hostErrors[0] as AuthError).detail).to.equal(
      'The guard cannot see this body. Parse it before the guard, or guard with reference: "unchecked" and mount ' +
        'requireOwnReference() after the parser.',
    );
  });
});

describe('missingReference', () => {
  it('names the misspelling only when it was sent', () => {
    const description = 'Send refercence_cl: the marchand.referencl of your login.';
    expect(missingReference(false).description).to.equal(description);
    expect(missingReference(true).description).to.equal(`${description} You sent reference_cl.`);
    for (const isMisspelled of [true, false]) {
      expect(missingReference(isMisspelled)).to.include({ code: 'missing_reference', status: 400 });
    }
  });
});
