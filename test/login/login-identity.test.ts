import { expect } from 'chai';
import { digestUnder } from '../../src/login/keyed-digest.js';
import { identify } from '../../src/login/login-identity.js';

const digest = digestUnder(Buffer.alloc(32, 7));
const HERE = { source: '203.0.113.7', address: '203.0.113.7' };

describe('identify', () => {
  it('gives spellings of one identifier the same digests and the same decoy', () => {
    const one = identify(digest, 'merchant', 'AWA@Boutique.example ', HERE);
    const other = identify(digest, 'merchant', 'awa@boutique.example', HERE);
    expect(one.folded).to.equal('awa@boutique.example');
    expect(one.guess(''), 'which can be guesses at two accounts').not.to.equal(other.guess(''));
    for (const { emailDigest, keys, decoy } of [one, other]) {
      expect({ emailDigest, keys, decoy }).to.deep.equal({
        emailDigest: other.emailDigest,
        keys: other.keys,
        decoy: other.decoy,
      });
    }
  });

  it('gives each purpose, realm, identifier and source a different digest', () => {
    const identities = [
      identify(digest, 'merchant', 'awa', HERE),
      identify(digest, 'partner', 'awa', HERE),
      identify(digest, 'merchant', 'kofi', { source: '203.0.113.8', address: '203.0.113.8' }),
    ];
    const digests = identities.flatMap(({ emailDigest, guess, keys: { email, addressKey, emailAndAddressKey } }) => {
      return [emailDigest, email, addressKey, emailAndAddressKey, guess('one'), guess('two')];
    });
    expect(new Set(digests)).to.have.property('size', 18);
    for (const text of digests) expect(text).to.match(/^[\da-f]{32}$/);
  });

  it('gives a peer other digests than a determined source with the same address', () => {
    const { keys: known, guess } = identify(digest, 'merchant', 'awa', HERE);
    const { keys: peer, guess: guessThroughPeer } = identify(digest, 'merchant', 'awa', {
      source: undefined,
      address: HERE.address,
    });
    expect(guessThroughPeer('one')).not.to.equal(guess('one'));
    expect([known.isSourceDetermined, peer.isSourceDetermined]).to.deep.equal([true, false]);
    expect(peer.email).to.equal(known.email);
    expect(peer.addressKey).not.to.equal(known.addressKey);
    expect(peer.emailAndAddressKey).not.to.equal(known.emailAndAddressKey);
  });
});
