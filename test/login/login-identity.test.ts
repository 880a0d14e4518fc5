import { expect } from 'chai';
import { createKeyedDigest } from '../../src/login/keyed-digest.js';
import { identify } from '../../src/login/login-identity.js';

const digest = createKeyedDigest('createLogin', Buffer.alloc(32, 7), false);
const HERE = { source: '203.0.113.7', address: '203.0.113.7' };

describe('identify', () => {
  it('gives spellings of one identifier the same digests and the same decoy', () => {
    const one = identify(digest, 'merchant', 'AWA@Boutique.example ', HERE);
    const other = identify(digest, 'merchant', 'awa@boutique.example', HERE);
    expect(one.folded).to.equal('awa@boutique.example');
    const { guess, ...keys } = other.keys('one');
    const { guess: guessOfOne, ...keysOfOne } = one.keys('one');
    expect(guessOfOne, 'which can be guesses at two accounts').not.to.equal(guess);
    const elsewhere = identify(digest, 'merchant', 'awa@boutique.example', { source: '::/64', address: '::/64' });
    expect(elsewhere.keys('one').guess).not.to.equal(guess);
    expect([one.emailDigest, one.decoy, keysOfOne]).to.deep.equal([other.emailDigest, other.decoy, keys]);
  });

  it('gives each purpose, realm, identifier and source a different digest', () => {
    const identities = [
      identify(digest, 'merchant', 'awa', HERE),
      identify(digest, 'partner', 'awa', HERE),
      identify(digest, 'merchant', 'kofi', { source: '203.0.113.8', address: '203.0.113.8' }),
    ];
    const digests = identities.flatMap(({ emailDigest, keys }) => {
      const { guess, email, source, emailAndSource } = keys('one');
      return [emailDigest, email, source, emailAndSource, guess, keys('two').guess];
    });
    expect(new Set(digests)).to.have.property('size', 18);
    for (const text of digests) expect(text).to.match(/^[\da-f]{32}$/);
  });

  it('gives a peer other digests than a determined source with the same address', () => {
    const known = identify(digest, 'merchant', 'awa', HERE).keys('one');
    const peer = identify(digest, 'merchant', 'awa', { ...HERE, source: undefined }).keys('one');
    expect([known.isSourceDetermined, peer.isSourceDetermined]).to.deep.equal([true, false]);
    expect(peer.email).to.equal(known.email);
    for (const key of ['guess', 'source', 'emailAndSource'] as const) expect(peer[key]).not.to.equal(known[key]);
  });
});
