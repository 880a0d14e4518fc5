import { expect } from 'chai';
import { invalidBody, refusalOfParser, tooLarge } from '../../src/body/parser-failures.js';
import { AuthError } from '../../src/errors/auth-error.js';
import { INVALID_BODY, UNREADABLE_BODY } from '../helpers/answers.js';

/** An error as a body parser makes it. */
function failure(members: object): Error {
  return Object.assign(new Error('of the parser'), members);
}

describe('invalidBody', () => {
  it('keeps the error of the parser as the cause, unless it quotes the body', () => {
    const cause = failure({});
    expect(invalidBody('request.aborted', cause)).to.include({ description: 'The body could not be read.', cause });
    for (const [type, member] of [
      ['entity.parse.failed', 'body'],
      // A host's own parser, and a host that wraps the parser's error.
      ['entity.parse.failed', 'rawBody'],
      ['entity.parse.failed', 'cause'],
      ['parameters.too.many', 'cause'],
      ['querystring.parse.rangeError', 'cause'],
      ['request.size.invalid', 'body'],
    ] as const) {
      const quoting = failure({ type, status: 400, [member]: '{"password":"baobab' });
      expect(invalidBody(type, quoting).cause).to.equal(undefined);
      expect(refusalOfParser(quoting)).to.be.instanceOf(AuthError).and.not.have.property('cause');
    }
  });

  it('has one sentence for every type that it does not know', () => {
    for (const type of [undefined, 'stream.encoding.set', 'constructor']) {
      expect(invalidBody(type)).to.include({ status: 400, description: 'The body could not be read.' });
    }
  });
});

describe('tooLarge', () => {
  it('gives the limit in the largest unit that needs no fraction', () => {
    const units = { 0: '0 bytes', 1000: '1000 bytes', 1024: '1 KiB', 1_536_000: '1500 KiB', 1_048_576: '1 MiB' };
    for (const [limit, text] of Object.entries(units)) {
      expect(tooLarge(Number(limit))).to.equal(`The body is larger than ${text}. Send less.`);
    }
  });
});

describe('refusalOfParser', () => {
  it('gives the limit of the parser, if the error has it as a number', () => {
    for (const limit of [undefined, '1kb']) {
      const cause = failure({ type: 'entity.too.large', status: 413, limit });
      expect(refusalOfParser(cause)?.description).to.equal('The body is too large. Send less.');
    }
  });

  it('has the status of the parser, which is 400, 413 or 415', () => {
    const statuses = { 400: INVALID_BODY, 413: INVALID_BODY, 415: UNREADABLE_BODY };
    for (const [status, code] of Object.entries(statuses)) {
      const cause = failure({ type: 'request.aborted', status: Number(status) });
      const description = 'The body could not be read.';
      expect(refusalOfParser(cause))
        .to.be.instanceOf(AuthError)
        .and.include({
          code,
          status: Number(status),
          description,
          cause,
        });
    }
  });

  it('knows the failures of all body parsers', () => {
    const unread = ['parameters.too.many', 'querystring.parse.rangeError', 'request.aborted', 'request.size.invalid'];
    for (const type of unread) {
      expect(refusalOfParser(failure({ type, status: 400, limit: 5 }))).to.include({
        code: INVALID_BODY,
        description: 'The body could not be read.',
      });
    }
    for (const code of ['Z_BUF_ERROR', 'ZSTD_error_prefix_unknown', 'ERR__ERROR_FORMAT_PADDING_1']) {
      expect(refusalOfParser(failure({ code, status: 400 }))).to.include({
        code: INVALID_BODY,
        description:
          'The body does not match the header Content-Encoding. Send the body uncompressed without this header, or as gzip.',
      });
    }
  });

  it('is undefined for an error that the caller did not cause', () => {
    const errors = [
      failure({ type: 'entity.verify.failed', status: 400 }),
      failure({ type: 'constructor', status: 400 }),
      failure({ type: 'request.aborted', status: 500 }),
      failure({ type: 'request.aborted' }),
      failure({ type: 'entity.verify.failed', code: 'Z_DATA_ERROR', status: 400 }),
      failure({ code: 'LIMIT_FILE_SIZE', status: 413 }),
      undefined,
    ];
    for (const error of errors) expect(refusalOfParser(error)).to.equal(undefined);
  });
});
