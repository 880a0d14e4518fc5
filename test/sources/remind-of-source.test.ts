import { expect } from 'chai';
import { collectWarnings } from '../helpers/diagnostics.js';
import { loadAgain } from '../helpers/load-again.js';

type Module = typeof import('../../src/sources/remind-of-source.js');

describe('remindOfSource', () => {
  let loaded: Module;
  let warnings: string[];
  beforeEach(() => {
    loaded = loadAgain<Module>(require.resolve('../../src/sources/remind-of-source.js'));
    warnings = collectWarnings();
  });

  function remind(ip: string, isSourceLimit: boolean): void {
    loaded.remindOfSource({ source: ip, address: ip, ip }, isSourceLimit);
  }

  it('does not warn about a determined source', () => {
    remind('203.0.113.7', true);
    remind('10.1.2.3', false);
    expect(warnings).to.deep.equal([]);
  });

  it('warns that callers may share a private address which has reached the limit of a source', () => {
    for (const address of ['10.1.2.3', '127.0.0.1', '::1', 'fd00::7']) remind(address, true);
    expect(warnings).to.deep.equal([
      'A private address has reached the limit of failed logins for one source. If it is a proxy, a balancer or a NAT in ' +
        'front, all callers share this address and this limit: let it send X-Forwarded-For, and set Express\'s "trust ' +
        'proxy" to its address.',
    ]);
  });

  it('repeats the warning of an undetermined source alone', () => {
    const source = { source: undefined, address: '10.1.2.3', ip: undefined, problem: 'The setting is wrong.' };
    loaded.remindOfSource(source, true);
    expect(warnings).to.deep.equal(['The setting is wrong.']);
  });
});
