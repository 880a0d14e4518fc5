import { expect } from 'chai';
import { requireAllowedSource } from '../../src/sources/require-allowed-source.js';
import { SOURCE_NOT_ALLOWED } from '../helpers/answers.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';

const ALLOWED = ['203.0.113.7', '2001:db8::/64', '10.0.0.0/24'];

describe('requireAllowedSource', () => {
  const require = (ip: string | undefined, problem?: string) =>
    requireAllowedSource(ALLOWED, { source: 'a prefix', address: '203.0.113.7', ip, ...(problem && { problem }) });
  const refusalOf = (...args: Parameters<typeof require>) =>
    expectAuthError(
      thrownBy(() => require(...args)),
      SOURCE_NOT_ALLOWED,
    );

  it('accepts an address of the list in any notation, even a private one', () => {
    for (const ip of ['203.0.113.7', '2001:db8::1', '::ffff:203.0.113.7', '10.0.0.7']) require(ip);
  });

  it('refuses any other address, and names it without the port', () => {
    for (const [ip, shown] of [
      ['198.51.100.9', '198.51.100.9'],
      ['[2001:DB8:1::7]:80', '2001:db8:1::7'],
    ] as const) {
      const { description, detail } = refusalOf(ip);
      const advice = 'Ask the operator of this service to add it.';
      expect(description).to.equal(`This account may not be used from your address, ${shown}. ${advice}`);
      expect(detail).to.equal('The account may not be used from the address of the caller.');
    }
  });

  it('names no private address, because it can be that of a proxy, and none that is undetermined', () => {
    for (const ip of ['127.0.0.1', '10.0.1.7', '[fd00::7]:80', '169.254.0.7', '100.64.0.7', undefined]) {
      expect(refusalOf(ip).description).to.equal(
        'This account may be used from certain addresses only, and the service cannot see yours. Tell its operator.',
      );
    }
  });

  it('repeats the warning of a setting that leaves the address undetermined', () => {
    const warnings = collectWarnings();
    refusalOf(undefined, 'The setting hides the address.');
    expect(warnings).to.deep.equal(['The setting hides the address.']);
  });
});
