import { expect } from 'chai';
import fc from 'fast-check';
import { isProxyAddress, sourcePrefix } from '../../src/sources/address.js';

describe('sourcePrefix', () => {
  it('cuts an IPv6 address in any notation to its first 64 bits', () => {
    for (const address of [
      '2001:db8:0:7::1',
      '2001:db8:0:7:ffff:ffff:ffff:ffff',
      '2001:0DB8:0000:0007:0000:0000:0000:0001',
      '2001:db8::7:1:2:3:4',
      '2001:db8:0:7::192.0.2.1',
    ]) {
      expect(sourcePrefix(address), address).to.equal('2001:db8:0:7::/64');
    }
  });

  it('gives two networks of IPv6 different sources', () => {
    expect(sourcePrefix('2001:db8:0:7::1')).not.to.equal(sourcePrefix('2001:db8:0:8::1'));
    expect(sourcePrefix('2001:db8::1')).to.equal('2001:db8:0:0::/64');
    expect(sourcePrefix('::1')).to.equal('0:0:0:0::/64');
    expect(sourcePrefix('1::')).to.equal('1:0:0:0::/64');
  });

  it('returns the IPv4 address for one that is mapped into IPv6, or translated by NAT64 or SIIT, in any notation', () => {
    for (const address of [
      '::ffff:203.0.113.7',
      '::FFFF:203.0.113.7',
      '::ffff:cb00:7107',
      '0:0:0:0:0:ffff:203.0.113.7',
      '64:ff9b::203.0.113.7',
      '[64:FF9B::cb00:7107]:80',
      '::ffff:0:203.0.113.7',
      '::ffff:0:cb00:7107',
      // Translators of a host's own network (RFC 8215), with prefixes of 96, 48, 56 and 64 bits.
      '64:ff9b:1::203.0.113.7',
      '64:ff9b:1:fffe::203.0.113.7',
      '[64:ff9b:1::cb00:7107]:80',
      '64:ff9b:1:cb00:71:700::',
      '64:ff9b:1:abcb:0:7107::',
      '64:ff9b:1:abcd:cb:71:700:0',
    ]) {
      expect(sourcePrefix(address), address).to.equal('203.0.113.7');
    }
  });

  it('cuts an address that only resembles one of these', () => {
    for (const [address, source] of [
      ['64:ff9b:2::203.0.113.7', '64:ff9b:2:0::/64'],
      ['64:ff9b::1:203.0.113.7', '64:ff9b:0:0::/64'],
      ['::fffe:203.0.113.7', '0:0:0:0::/64'],
    ] as const) {
      expect(sourcePrefix(address), address).to.equal(source);
    }
  });

  it('ignores the zone of a link-local address', () => {
    for (const zone of ['eth0', 'eth0.100', 'br-12ab']) {
      expect(sourcePrefix(`fe80::1%${zone}`), zone).to.equal('fe80:0:0:0::/64');
      expect(sourcePrefix(`::ffff:203.0.113.7%${zone}`), zone).to.equal('203.0.113.7');
    }
  });

  it('removes the port and the brackets that a proxy wrote', () => {
    for (const address of ['203.0.113.7:4711', '203.0.113.7:1', '[::ffff:203.0.113.7]', '[::ffff:203.0.113.7]:80']) {
      expect(sourcePrefix(address), address).to.equal('203.0.113.7');
    }
    for (const address of ['[2001:db8:0:7::1]', '[2001:db8:0:7::1]:80', '[2001:DB8:0:7::ffff]:65535']) {
      expect(sourcePrefix(address), address).to.equal('2001:db8:0:7::/64');
    }
    expect(sourcePrefix('[fe80::1%eth0]:80')).to.equal('fe80:0:0:0::/64');
    // Without brackets the last group belongs to the address.
    expect(sourcePrefix('2001:db8:0:7::1:80')).to.equal('2001:db8:0:7::/64');
  });

  it('returns undefined for text that is not an address', () => {
    const ofIpv4 = [
      '203.0.113',
      '203.0.113.7 ',
      '203.0.113.7:',
      '203.0.113.7:http',
      '203.0.113.7:80:80',
      ':203.0.113.7',
    ];
    const ofIpv6 = ['2001:db8::1]', '[2001:db8::1', '[2001:db8::1]:', '[2001:db8::1]80', '[[2001:db8::1]]', '[]'];
    const others = ['', 'unknown', '_hidden', '203.0.113:80', '[unknown]:80', 'shop.example:80', ':', '%'];
    for (const text of [...ofIpv4, ...ofIpv6, ...others]) {
      expect(sourcePrefix(text), text).to.equal(undefined);
    }
  });

  it('gives all addresses of one network one source', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
    const half = fc.array(group, { minLength: 4, maxLength: 4 }).map((groups) => groups.join(':'));
    fc.assert(
      fc.property(half, half, half, (network, one, other) => {
        fc.pre(!/^0:0:0:0$/.test(network));
        expect(sourcePrefix(`${network}:${one}`)).to.equal(`${network}::/64`);
        expect(sourcePrefix(`${network}:${other}`)).to.equal(`${network}::/64`);
      }),
    );
  });
});

describe('isProxyAddress', () => {
  const PRIVATE = ['127.0.0.1', '127.255.255.255', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'];
  const LOCAL = ['100.64.0.1', '169.254.1.1', '::1', '::ffff:10.1.2.3', 'fd00::1', 'fe80::1%eth0'];
  const OTHERS = ['203.0.113.7', '172.32.0.1', '100.128.0.1', '2001:db8::1', '::ffff:203.0.113.7', '', 'unknown'];

  it('is true for loopback, private, shared and link-local addresses, and false for every other text', () => {
    for (const address of [...PRIVATE, ...LOCAL]) expect(isProxyAddress(address), address).to.equal(true);
    for (const address of OTHERS) expect(isProxyAddress(address), address).to.equal(false);
  });
});
