import { PassThrough, Readable } from 'node:stream';
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

  it('holds the end of an empty body back from the read(0) of Node.js, and not from a handler that reads', async () => {
    const flow = async (handle: (stream: PassThrough, resume: () => void) => void) => {
      const stream = Object.assign(new PassThrough(), { complete: false });
      let hasEnded = false;
      stream.on('data', () => undefined).on('end', () => (hasEnded = true));
      const resume = pauseFlow(stream as unknown as IncomingMessage);
      stream.end();
      stream.complete = true;
      await settle();
      handle(stream, resume);
      await settle();
      return hasEnded;
    };
    expect(await flow((stream) => void stream.read(0))).to.equal(false);
    expect(await flow((_stream, resume) => resume())).to.equal(true);
    expect(await flow((stream) => void stream.read())).to.equal(true);
  });

  it('lets read(0) fetch more of a body that has not arrived or has bytes', () => {
    for (const [arrived, complete] of [
      ['', false],
      ['a', true],
    ] as const) {
      let reads = 0;
      const stream = Object.assign(new Readable({ read: () => (reads += 1) }), { complete });
      stream.on('data', () => undefined);
      pauseFlow(stream as unknown as IncomingMessage);
      if (arrived !== '') stream.push(arrived);
      stream.read(0);
      expect(reads).to.equal(1);
      expect(String(stream.read() ?? '')).to.equal(arrived);
    }
  });

  it('does nothing for the request of an adapter, which is not a stream', () => {
    expect(() => pauseFlow({} as unknown as IncomingMessage)()).not.to.throw();
  });
});
