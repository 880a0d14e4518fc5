import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { pauseFlow } from '../../src/body/pause-flow.js';
import { settle } from '../helpers/until.js';

describe('pauseFlow', () => {
  it('holds the data for a listener before the guard until the guard is done', async () => {
    const stream = new PassThrough();
    const chunks: string[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
    const resume = pauseFlow(stream as unknown as IncomingMessage);
    stream.end('body');
    await settle();
    expect(chunks).to.deep.equal([]);
    resume();
    // Code that runs now can still add its own listener.
    expect(chunks).to.deep.equal([]);
    await settle();
    expect(chunks).to.deep.equal(['body']);
  });

  it('does not change a stream that is paused or that nobody reads', async () => {
    for (const prepare of [() => undefined, (stream: PassThrough) => void stream.pause()]) {
      const stream = new PassThrough();
      prepare(stream);
      const { readableFlowing } = stream;
      pauseFlow(stream as unknown as IncomingMessage)();
      stream.end('body');
      await settle();
      expect(stream.readableFlowing).to.equal(readableFlowing);
      expect(stream.readableDidRead).to.equal(false);
    }
  });

  it('does nothing for the request of an adapter, which is not a stream', () => {
    expect(() => pauseFlow({} as unknown as IncomingMessage)()).not.to.throw();
  });
});
