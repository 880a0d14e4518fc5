import { expect } from 'chai';
import { isInSources, isSourceList } from '../../src/sources/ranges.js';

/** Each list, with the addresses that it allows and some that it does not. */
const LISTS: readonly (readonly [
  sources: readonly string[],
  allowed: readonly string[],
  refused: readonly string[],
])[] = [
  [[], [], ['203.0.113.7', '::1']],
  [['203.0.113.7'], ['203.0.113.7', '203.0.113.7:4711', '::ffff:203.0.113.7'], ['203.0.113.8', '2001:db8::1', '']],
  [['203.0.113.7/24'], ['203.0.113.0', '203.0.113.255', '[::ffff:203.0.113.9]:80'], ['203.0.114.0', '203.0.112.255']],
  [['203.0.113.7/32'], ['203.0.113.7'], ['203.0.113.6']],
  [['0.0.0.0/0'], ['203.0.113.7', '::ffff:203.0.113.7'], ['2001:db8::1']],
  [['2001:DB8::/48'], ['2001:db8::1', '[2001:db8:0:ffff::1]:80'], ['2001:db8:1::1', '203.0.113.7']],
  // The whole address counts, and not its /64.
  [['2001:db8::1'], ['2001:db8:0:0:0:0:0:1'], ['2001:db8::2']],
  [['::/0'], ['2001:db8::1'], ['203.0.113.7', '::ffff:203.0.113.7']],
  // An IPv4 address inside an IPv6 address is IPv4.
  [['::ffff:203.0.113.7'], ['203.0.113.7', '::ffff:cb00:7107'], ['203.0.113.8', '2001:db8::1']],
  [['64:ff9b::203.0.113.0/120'], ['203.0.113.9', '64:ff9b::203.0.113.9'], ['203.0.114.9']],
  // Behind a translator of the host's own network, the IPv4 address can lie before the end, so only whole addresses count.
  [['64:ff9b:1:cb00:71:700::', '64:ff9b:1::203.0.113.8'], ['203.0.113.7', '64:ff9b:1::203.0.113.8'], ['203.0.113.9']],
  [['64:ff9b:1:cb00:71:700::/96', '64:ff9b:1::/48', '64:ff9b:1::/127'], [], ['203.0.113.7', '8.8.8.8', '0.0.0.0']],
  [['::ffff:0:0/96'], ['203.0.113.7'], ['2001:db8::1']],
  [['::ffff:0:0/95'], ['::fffe:0:1'], ['203.0.113.7']],
  [['198.51.100.1', '2001:db8::/32'], ['198.51.100.1', '2001:db8::1'], ['198.51.100.2']],
];

describe('isInSources', () => {
  for (const [sources, allowed, refused] of LISTS) {
    it(`allows what [${sources.join(', ')}] names, and nothing else`, () => {
      expect(isSourceList(sources)).to.equal(true);
      for (const address of allowed) expect(isInSources(sources, address), address).to.equal(true);
      for (const address of refused) expect(isInSources(sources, address), address).to.equal(false);
    });
  }

  it('reads a list as it is now, and never one with a wrong entry', () => {
    const sources = ['203.0.113.7'];
    expect(isInSources(sources, '203.0.113.8')).to.equal(false);
    sources[0] = '203.0.113.8';
    expect(isInSources(sources, '203.0.113.8')).to.equal(true);
    expect(isInSources([...sources, 'all'], '203.0.113.8')).to.equal(false);
  });
});

describe('isSourceList', () => {
  it('refuses an entry of another form, which a lenient parser would read as another address', () => {
    const ofIpv4 = ['10', '10.1', '010.1.1.1', '0x0a.1.1.1', '10.1.1.256', '10.1.1.1/33', '10.1.1.1/', '10.1.1.1/08'];
    const ofIpv6 = ['2001:db8::/129', '2001:db8::/-1', 'fe80::1%eth0', '[2001:db8::1]', '2001:db8', ':::', '::1/'];
    const embedded = ['::ffff:010.1.1.1', '::ffff:1.2.3.04', '64:ff9b::10.1.1'];
    const others = [
      '',
      ' 10.1.1.1',
      '10.1.1.1\n',
      '10.1.1.1:80',
      '10.1.1.1/24/24',
      '*',
      'shop.example',
      '10.1.1.1,10.1.1.2',
    ];
    for (const entry of [...ofIpv4, ...ofIpv6, ...embedded, ...others, '10.1.1.1\n10.1.1.2']) {
      expect(isSourceList([entry]), entry).to.equal(false);
      expect(isSourceList(['10.1.1.1', entry]), entry).to.equal(false);
    }
    for (const entry of [undefined, null, 1, 1n, ['10.1.1.1'], {}]) expect(isSourceList([entry])).to.equal(false);
    for (const value of ['10.1.1.1', {}, 1, new Set(['10.1.1.1'])]) expect(isSourceList(value)).to.equal(false);
  });
});
