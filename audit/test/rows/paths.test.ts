import { expect } from 'chai';
import { isAbout, isAskable, restBelow, variantsOf } from '../../src/rows/paths.js';

describe('paths of routes', () => {
  it('have a form with and without their optional parts, and always a slash', () => {
    const table: Readonly<Record<string, readonly string[]>> = {
      '/payments/:id?': ['/payments', '/payments/:id'],
      '/payments{/:id}/refunds': ['/payments/refunds', '/payments/:id/refunds'],
      '/payments/:id(\\d+)?': ['/payments', '/payments/:id(\\d+)'],
      '{/:id}': ['/', '/:id'],
      '*': ['/*', '/*'],
      ':id': ['/:id', '/:id'],
    };
    for (const [path, variants] of Object.entries(table)) expect(variantsOf(path), path).to.deep.equal(variants);
  });

  it('are not asked if a GET changes something, or their start is unknown', () => {
    const not = ['/logout', '/v1/sign-out/all', '/rows/:id/Delete', '/cancel', '(unknown path)/rows', /^\/rows/];
    const asked = ['/logouts', '/cancelled', '/reset-codes', '/deleted/:id'];
    expect([...not, ...asked].filter(isAskable)).to.deep.equal(asked);
  });

  it('are below a list with any names of the parameters', () => {
    expect(restBelow('/payments/:id', '/payments/:payment/refunds/:refund')).to.equal('/refunds/:refund');
    expect(restBelow('/', '/payments/:id')).to.equal('/payments/:id');
    for (const path of ['/payments', '/payment/:id', '/v1/payments/:id'])
      expect(restBelow('/payments', path), path).to.equal(undefined);
  });

  it('are about the rows that their list names', () => {
    for (const list of ['/payments', '/me/payments', '/payment-list', '/v1'])
      expect(isAbout(list, '/v1/payments/:id'), list).to.equal(true);
    expect(isAbout('/orders', '/v1/payments/:id')).to.equal(false);
    expect(isAbout('/orders', '/:id')).to.equal(false);
  });
});
