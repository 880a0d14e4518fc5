import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import { createErrorLog } from '../../src/http/error-log.js';
import { freezeTime } from '../helpers/frozen-time.js';

const DETAIL = 'UserStore.findById failed.';
const HINT = '(its message: authErrorHandler({ log }))';

/** An error as a database driver makes it: bound values are in its message and in its members. */
class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly code = '23505';
  readonly sql = 'SELECT * FROM merchants WHERE id = ?';
  readonly parameters = ['bound-value'];
  readonly fields = { email: 'awa@boutique.example' };
}

function unavailable(cause?: unknown): AuthError {
  return new AuthError('store_unavailable', { detail: DETAIL, cause });
}

/** Makes a log that keeps its lines. Timers wait for the test. */
function recordLog() {
  const time = freezeTime();
  const lines: string[] = [];
  return { time, lines, log: createErrorLog((line) => lines.push(line)) };
}

/** Returns the one line that is written for an error. */
function lineOf(error: AuthError): string {
  const { lines, log } = recordLog();
  log(error);
  expect(lines).to.have.length(1);
  return lines[0] ?? '';
}

describe('createErrorLog', () => {
  describe('the number of lines', () => {
    it('is one per second and code, and then a count of the others', () => {
      const { time, lines, log } = recordLog();
      for (let times = 0; times < 5; times++) log(unavailable());
      time.pass(0.999);
      log(unavailable());
      const first = `express-merchant-auth store_unavailable: ${DETAIL}`;
      expect(lines).to.deep.equal([first]);
      time.pass(0.001);
      const count = 'express-merchant-auth store_unavailable: 5 more within 1 s';
      expect(lines).to.deep.equal([first, count]);
      log(unavailable());
      expect(lines).to.deep.equal([first, count, first]);
    });

    it('is one for one error, without a count', () => {
      const { time, lines, log } = recordLog();
      log(unavailable());
      time.pass(10);
      expect(lines).to.deep.equal([`express-merchant-auth store_unavailable: ${DETAIL}`]);
      log(unavailable());
      time.pass(10);
      expect(lines).to.have.length(2);
    });

    it('is counted for each code', () => {
      const { time, lines, log } = recordLog();
      for (let times = 0; times < 3; times++) {
        log(unavailable());
        log(new AuthError('malformed_account', { detail: 'UserStore.findById returned no account object.' }));
      }
      time.pass(1);
      expect(lines).to.deep.equal([
        `express-merchant-auth store_unavailable: ${DETAIL}`,
        'express-merchant-auth malformed_account: UserStore.findById returned no account object.',
        'express-merchant-auth store_unavailable: 2 more within 1 s',
        'express-merchant-auth malformed_account: 2 more within 1 s',
      ]);
    });

    it('is counted for each log', () => {
      const [one, other] = [recordLog(), recordLog()];
      one.log(unavailable());
      other.log(unavailable());
      expect([one.lines.length, other.lines.length]).to.deep.equal([1, 1]);
    });
  });

  it('drops an error of the console, because the timer of the count would end the process', () => {
    const time = freezeTime();
    let lines = 0;
    const log = createErrorLog(() => {
      lines += 1;
      if (lines > 1) throw new Error('the disk is full');
    });
    log(unavailable());
    log(unavailable());
    time.pass(1);
    expect(lines).to.equal(2);
  });

  it('keeps no process alive', () => {
    const log = createErrorLog(() => undefined);
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    log(unavailable());
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).to.have.length(before);
  });

  describe('a line', () => {
    it('has the name and the code of the cause, and the frames of its stack', () => {
      const line = lineOf(unavailable(new QueryError('duplicate key')));
      expect(
        line.startsWith(`express-merchant-auth store_unavailable: ${DETAIL} Cause: QueryError 23505 at `),
      ).to.equal(true);
      expect(line).to.match(/ at \S.* \(.*error-log\.test\.ts:\d+:\d+\)/);
      expect(line).not.to.contain('\n');
    });

    it('has every frame that names a place in a file', () => {
      const cause = new QueryError('down');
      cause.stack = [
        'QueryError: down',
        '    at Parser.parseErrorMessage (/app/node_modules/pg-protocol/dist/parser.js:283:98)',
        '    at async /app/src/store.js:12:17',
        '    at new Promise (<anonymous>)',
        '    at file:///app/src/main.mjs:3:1',
        '    at Object.<anonymous> (C:\\app\\store.js:4:5)',
      ].join('\n');
      expect(lineOf(unavailable(cause))).to.equal(
        `express-merchant-auth store_unavailable: ${DETAIL} Cause: QueryError 23505` +
          ' at Parser.parseErrorMessage (/app/node_modules/pg-protocol/dist/parser.js:283:98)' +
          ' at async /app/src/store.js:12:17' +
          ' at file:///app/src/main.mjs:3:1' +
          ` at Object.<anonymous> (C:\\app\\store.js:4:5) ${HINT}`,
      );
    });

    it('has no message, no bound value and no other member of the cause, and no cause of the cause', () => {
      const message = 'Key (email)=(awa@boutique.example) already exists.\nDETAIL: bound-value';
      const cause = new QueryError(message, { cause: new Error('inner-value') });
      const line = lineOf(unavailable(cause));
      for (const text of ['Key', 'exists', 'DETAIL', 'bound-value', 'awa@', 'SELECT', 'merchants', 'inner-value']) {
        expect(line).not.to.contain(text);
      }
      expect(line).to.contain('Cause: QueryError 23505 at ');
    });

    it('has no line of a message that looks like a frame', () => {
      const message = 'duplicate\n    at bound-value (/secret.js:1:1)\n    at another-value:2:2';
      const line = lineOf(unavailable(new QueryError(message)));
      expect(line).not.to.match(/bound-value|secret|another-value/);
      expect(line).to.contain('error-log.test.ts');
    });

    it('has the frames also when the message was set after the stack, as mysql2 does', () => {
      const cause = Object.assign(new Error('Duplicate entry bound-value'), {
        stack: 'Error\n    at PromisePool.query (/app/node_modules/mysql2/promise.js:94:22)',
      });
      expect(lineOf(unavailable(cause))).to.equal(
        `express-merchant-auth store_unavailable: ${DETAIL} Cause: Error` +
          ` at PromisePool.query (/app/node_modules/mysql2/promise.js:94:22) ${HINT}`,
      );
    });

    it('has code and errno of the cause, and of its cause, parent and original, each once', () => {
      const driver = Object.assign(new Error('bound-value'), { code: 'ECONNREFUSED', errno: -111, sql: 'bound-value' });
      for (const members of [
        { parent: driver },
        { original: driver, parent: driver },
        { original: driver },
        { cause: driver },
        driver,
      ]) {
        const cause = Object.assign(new Error('bound-value'), members, { stack: 'Error: bound-value' });
        const expected = `express-merchant-auth store_unavailable: ${DETAIL} Cause: Error ECONNREFUSED -111`;
        expect(lineOf(unavailable(cause))).to.equal(`${expected} ${HINT}`);
      }
    });

    it('has a code or errno only when it is a string or a number', () => {
      for (const code of [{ value: 'bound-value' }, ['bound-value'], undefined, null, true]) {
        const members = { code, errno: code, parent: 'bound-value', original: null };
        const cause = Object.assign(new Error('down'), members, { stack: 'Error: down' });
        const expected = `express-merchant-auth store_unavailable: ${DETAIL} Cause: Error ${HINT}`;
        expect(lineOf(unavailable(cause))).to.equal(expected);
      }
    });

    it('ends after the detail, when the cause is not an Error or has no stack', () => {
      for (const cause of [undefined, null, 'bound-value', { message: 'bound-value', code: 'E' }]) {
        expect(lineOf(unavailable(cause))).to.equal(`express-merchant-auth store_unavailable: ${DETAIL}`);
      }
      const bare = Object.assign(new Error('bound-value'), { stack: undefined });
      const expected = `express-merchant-auth store_unavailable: ${DETAIL} Cause: Error ${HINT}`;
      expect(lineOf(unavailable(bare))).to.equal(expected);
    });

    it('has the detail that names the member of a malformed account', () => {
      const detail = 'UserStore.findById returned an account whose id is not a non-empty string.';
      const line = lineOf(new AuthError('malformed_account', { detail, cause: new TypeError(detail) }));
      expect(line.startsWith(`express-merchant-auth malformed_account: ${detail} Cause: TypeError at `)).to.equal(true);
    });
  });
});
