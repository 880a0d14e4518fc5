import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { cachePeerAddress, hasLeft } from '../../src/sources/peer.js';
import { serve } from '../helpers/http.js';

const connectionOf = (state: object) => ({ destroyed: false, ...state }) as unknown as IncomingMessage['socket'];

describe('the peer of a request', () => {
  it('has the address that was read, even after it has left', async () => {
    const addresses = new Promise((resolve) => {
      void serve((req: IncomingMessage) => {
        const read = cachePeerAddress(req);
        req.socket.once('close', () => resolve([read, req.socket.remoteAddress]));
        req.socket.destroy();
      }).then((client) => client.send('GET', '/').catch(() => undefined));
    });
    expect(await addresses).to.deep.equal(['127.0.0.1', '127.0.0.1']);
  });

  it('has left when the socket is destroyed, or when TCP has lost its address', () => {
    const [remoteAddress, localAddress] = ['203.0.113.7', '10.1.2.3'];
    expect(hasLeft(connectionOf({ destroyed: true, remoteAddress, localAddress }))).to.equal(true);
    expect(hasLeft(connectionOf({ localAddress }))).to.equal(true);
    expect(hasLeft(connectionOf({ remoteAddress, localAddress }))).to.equal(false);
    // A Unix socket never has an address.
    expect(hasLeft(connectionOf({}))).to.equal(false);
  });
});
