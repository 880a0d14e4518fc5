import { expect } from 'chai';
import { announcedLength } from '../../src/body/announced-length.js';

const lengthOf = (req: object) => announcedLength({ headers: {}, ...req });

describe('announcedLength', () => {
  it('reads the headers of HTTP/1.1', () => {
    expect(lengthOf({ headers: { 'content-length': '1' } })).to.equal(1);
    expect(lengthOf({ headers: { 'transfer-encoding': 'chunked' } })).to.equal(Infinity);
    for (const headers of [{}, { 'content-length': '0' }, { 'content-type': 'application/json' }]) {
      expect(lengthOf({ headers, rawHeaders: [] })).to.equal(0);
    }
  });

  it('reads the headers as they arrived, because a middleware can delete or change one', () => {
    const lists = [
      [['Content-Length', '15'], 15],
      [['Host', 'localhost', 'content-length', '15'], 15],
      [['TRANSFER-ENCODING', 'chunked'], Infinity],
      [['Content-Length', '15', 'Transfer-Encoding', 'chunked'], Infinity],
      [['Transfer-Encoding', 'chunked', 'Content-Length', '15'], Infinity],
    ] as const;
    for (const [rawHeaders, length] of lists) {
      expect(lengthOf({ rawHeaders })).to.equal(length);
      expect(lengthOf({ rawHeaders, headers: { 'content-length': '0' } })).to.equal(length);
    }
    expect(lengthOf({ rawHeaders: ['Content-Length', '2'], headers: { 'content-length': '15' } })).to.equal(15);
  });

  it('compares only the names in rawHeaders, not the values', () => {
    const lists = [
      ['Content-Length', '0'],
      ['Host', 'Content-Length', 'X-Length', '15'],
      ['X-Content-Length', '15'],
      ['Content-Length-Of', '15'],
      ['X-Transfer-Encoding', 'chunked'],
      ['Transfer-Encoding-Of', 'chunked'],
      [],
    ];
    for (const rawHeaders of lists) expect(lengthOf({ rawHeaders }), rawHeaders.join()).to.equal(0);
  });

  it('asks the stream on HTTP/2', () => {
    expect(lengthOf({ stream: { endAfterHeaders: false } })).to.equal(Infinity);
    expect(lengthOf({ stream: { endAfterHeaders: true } })).to.equal(0);
    expect(lengthOf({ stream: {} })).to.equal(0);
  });
});
