import { expect } from 'chai';
import { cachePeerAddress } from '../../src/sources/peer.js';

it('a request without a socket, as serverless adapters make it, has no address of a peer', () => {
  expect(cachePeerAddress({ headers: {} } as never)).to.equal(undefined);
});
