import { PassThrough, Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { pauseFlow } from '../../src/body/pause-flow.js';
import { settle } from '../helpers/until.js';

const pause = (stream: Readable) => pauseFlow(stream as unknown as IncomingMessage);

describe('pauseFlow', () => {
  it('holds the data for a listener before the guard until the guard is done', async () => {
    const stream = new PassThrough();
    const chunks: string[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
    const resume = pause(stream);
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
      pause(stream)();
      stream.end('body');
      await settle();
      expect(stream.readableFlowing).to.equal(readableFlowing);
      expect(stream.readableDidRead).to.equal(false);
    }
  });

  it('lets read(0) fetch more of a body that has not arrived or has bytes', () => {
    for (const arrived of ['', 'a']) {
      let reads = 0;
      const stream = new Readable({ read: () => (reads += 1) });
      stream.on('data', () => undefined);
      pause(stream);
      if (arrived !== '') stream.push(arrived);
      stream.read(0);
      expect(reads).to.equal(1);
      expect(String(stream.read() ?? '')).to.equal(arrived);
    }
  });
});
