import { expect } from 'chai';
import { readPort, readSecret } from '../../example-app/src/settings.js';

describe('example-app: settings', () => {
  it('takes port 3000 where PORT is unset or empty', () => {
    expect(readPort({})).to.equal(3000);
    expect(readPort({ PORT: '' })).to.equal(3000);
  });

  it('takes every port number', () => {
    expect(readPort({ PORT: '0' })).to.equal(0);
    expect(readPort({ PORT: '8080' })).to.equal(8080);
    expect(readPort({ PORT: '65535' })).to.equal(65_535);
  });

  for (const PORT of ['http', '65536', '-1', '80.5', ' 80', '0x50', '1e3', '/run/app.sock']) {
    it(`refuses PORT=${JSON.stringify(PORT)}`, () => {
      expect(() => readPort({ PORT })).to.throw(TypeError, /^PORT must be a whole number from 0 to 65535\.$/);
    });
  }

  it('takes the secret as it is, and an empty one for none', () => {
    expect(readSecret({ JWT_SECRET: ' a secret ' })).to.equal(' a secret ');
    expect(readSecret({ JWT_SECRET: '' })).to.equal(undefined);
    expect(readSecret({})).to.equal(undefined);
  });
});
