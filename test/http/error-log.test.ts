import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import { createErrorLog } from '../../src/http/error-log.js';
import { MALFORMED_ACCOUNT, STORE_UNAVAILABLE } from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { rejectionOf } from '../helpers/thrown.js';
import { countTimers } from '../helpers/timers.js';

const DETAIL = 'UserStore.findById failed.';
const LINE = `express-merchant-auth ${STORE_UNAVAILABLE}: ${DETAIL}`;
const HINT = '(its message: authErrorHandler({ log }))';

/** An error as a database driver makes it: bound values are in its message and in its members. */
class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly code = '23505';
  readonly sql = 'SELECT * FROM merchants WHERE id = ?';
  readonly parameters = ['bound-value'];
  readonly fields = { email: 'awa@boutique.example' };
}

/** Makes a log that keeps its lines. Timers wait for the test. */
function recordLog() {
  const time = freezeTime();
  const lines: string[] = [];
  const log = createErrorLog((line) => lines.push(line));
  return { time, lines, log, logUnavailable: () => log(new AuthError(STORE_UNAVAILABLE, { detail: DETAIL })) };
}

/** Returns the one line that is written for an error with this cause. */
function lineOf(cause?: unknown): string {
  const { lines, log } = recordLog();
  log(new AuthError(STORE_UNAVAILABLE, { detail: DETAIL, cause }));
  expect(lines).to.have.length(1);
  return lines[0] ?? '';
}

/** Makes an error with these members, whose stack has no frame unless there is one in `members`. */
const errorWith = (members: object) =>
  Object.assign(new Error('bound-value'), { stack: 'Error: bound-value' }, members);

describe('createErrorLog', () => {
  describe('the number of lines', () => {
    it('is one per second and code, and then a count of the others', () => {
      const { time, lines, logUnavailable } = recordLog();
      for (let times = 0; times < 5; times++) logUnavailable();
      time.pass(0.999);
      logUnavailable();
      expect(lines).to.deep.equal([LINE]);
      time.pass(0.001);
      const count = `express-merchant-auth ${STORE_UNAVAILABLE}: 5 more within 1 s`;
      expect(lines).to.deep.equal([LINE, count]);
      // An error alone gets no count.
      logUnavailable();
      time.pass(10);
      logUnavailable();
      expect(lines).to.deep.equal([LINE, count, LINE, LINE]);
    });

    it('is counted for each code and for each log', () => {
      const { time, lines, log, logUnavailable } = recordLog();
      for (let times = 0; times < 3; times++) {
        logUnavailable();
        log(new AuthError(MALFORMED_ACCOUNT, { detail: 'UserStore.findById returned no account object.' }));
      }
      lineOf();
      time.pass(1);
      expect(lines).to.deep.equal([
        LINE,
        `express-merchant-auth ${MALFORMED_ACCOUNT}: UserStore.findById returned no account object.`,
        `express-merchant-auth ${STORE_UNAVAILABLE}: 2 more within 1 s`,
        `express-merchant-auth ${MALFORMED_ACCOUNT}: 2 more within 1 s`,
      ]);
    });
  });

  it('drops an error of the console, because the timer of the count would end the process', () => {
    const time = freezeTime();
    let lines = 0;
    const log = createErrorLog(() => {
      lines += 1;
      if (lines > 1) throw new Error('the disk is full');
    });
    for (let times = 0; times < 2; times++) log(new AuthError(STORE_UNAVAILABLE));
    time.pass(1);
    expect(lines).to.equal(2);
  });

  it('loses one line and no later one to a console that throws', () => {
    const time = freezeTime();
    const written: string[] = [];
    let isBroken = true;
    const log = createErrorLog((line) => {
      if (isBroken) throw new Error('the disk is full');
      written.push(line);
    });
    expect(() => log(new AuthError(STORE_UNAVAILABLE))).to.throw('the disk is full');
    isBroken = false;
    time.pass(1);
    log(new AuthError(STORE_UNAVAILABLE, { detail: DETAIL }));
    expect(written).to.deep.equal([LINE]);
  });

  it('returns what the console returns, so that a rejection does not end the process', async () => {
    const log = createErrorLog(() => Promise.reject(new Error('the disk is full')));
    expect(await rejectionOf(log(new AuthError(STORE_UNAVAILABLE)) as Promise<void>)).to.be.an('error');
  });

  it('keeps no process alive', async () => {
    const timers = await countTimers();
    createErrorLog(() => undefined)(new AuthError(STORE_UNAVAILABLE));
    expect(timers()).to.equal(0);
  });

  describe('a line', () => {
    it('has the name and the code of the cause, and the first frame of its stack, even when the message changed later', () => {
      const frames = [
        ' at Parser.parseErrorMessage (/app/node_modules/pg-protocol/dist/parser.js:283:98)',
        ' at async /app/src/store.js:12:17',
        ' at file:///app/src/main.mjs:3:1',
        ' at Object.<anonymous> (C:\\app\\store.js:4:5)',
      ];
      for (const first of ['QueryError: down', 'QueryError']) {
        const stack = [first, ...frames, ' at new Promise (<anonymous>)'].join('\n   ');
        const line = lineOf(Object.assign(new QueryError('down'), { stack }));
        expect(line).to.equal(`${LINE} Cause: QueryError 23505${frames[0]} ${HINT}`);
      }
    });

    it('has no message, no bound value and no other member of the cause, and no cause of the cause', () => {
      const message =
        'Key (email)=(awa@boutique.example) already exists.\nDETAIL: bound-value\n    at x (/secret.js:1:1)';
      const line = lineOf(new QueryError(message, { cause: new Error('inner-value') }));
      expect(line).not.to.match(/Key|exists|DETAIL|bound-value|awa@|SELECT|merchants|inner-value|secret|\n/);
      expect(line.startsWith(`${LINE} Cause: QueryError 23505 at `)).to.equal(true);
      expect(line).to.match(/ at \S.* \(.*error-log\.test\.ts:\d+:\d+\)/);
    });

    it('has a name and codes of at most 64 letters, digits and .:-_ alone, because a host can put any text there', () => {
      const texts = ['two words', 'a\r\nb', '\u001B[31mred', 'x'.repeat(65), 'clé', '', 'a\u2028b', '="hunter2"'];
      for (const text of texts) {
        const cause = errorWith({ name: text, code: text, errno: text, cause: { code: text } });
        expect(lineOf(cause), text).to.equal(`${LINE} Cause: Error ${HINT}`);
      }
      const longest = 'E'.repeat(64);
      const cause = errorWith({ name: 'pg.Error', code: longest, errno: 'ORA-1:2' });
      expect(lineOf(cause)).to.equal(`${LINE} Cause: pg.Error ${longest} ORA-1:2 ${HINT}`);
    });

    it('has no line of an old message that looks like a frame', () => {
      const { stack } = new Error('it is down\n    at secret (/secret.js:1:1)');
      for (const message of ['', 'down', 'failed', 'n', 'it is']) {
        expect(lineOf(errorWith({ stack, message })), message).to.equal(`${LINE} Cause: Error ${HINT}`);
      }
    });

    it('has the first frame of at most 300 characters without control and other invisible characters', () => {
      const wrong = ['\r', '\u001B[2J', '\0', '\u202E', '\u2028', 'x'.repeat(300)];
      const fit = `at ${'f'.repeat(285)} (/a.js:1:1)`;
      expect(fit).to.have.length(300);
      const stack = ['Error: bound-value', ...wrong.map((text) => `at f${text} (/a.js:1:1)`), fit].join('\n    ');
      expect(lineOf(errorWith({ stack }))).to.equal(`${LINE} Cause: Error ${fit} ${HINT}`);
    });

    it('has code and errno of the cause, and of its cause, parent and original, each once', () => {
      const driver = errorWith({ code: 'ECONNREFUSED', errno: -111, sql: 'bound-value' });
      for (const members of [
        { parent: driver },
        { original: driver, parent: driver },
        { original: driver },
        { cause: driver },
        driver,
      ]) {
        expect(lineOf(errorWith(members))).to.equal(`${LINE} Cause: Error ECONNREFUSED -111 ${HINT}`);
      }
    });

    it('has a code or errno only when it is a string or a number', () => {
      for (const code of [{ value: 'bound-value' }, ['bound-value'], undefined, null, true]) {
        const cause = errorWith({ code, errno: code, parent: 'bound-value', original: null });
        expect(lineOf(cause)).to.equal(`${LINE} Cause: Error ${HINT}`);
      }
    });

    it('ends after the detail, when the cause is not an Error, and has no frame, when the cause has no stack', () => {
      for (const cause of [undefined, null, 'bound-value', { message: 'bound-value', code: 'E' }]) {
        expect(lineOf(cause)).to.equal(LINE);
      }
      expect(lineOf(errorWith({ stack: undefined }))).to.equal(`${LINE} Cause: Error ${HINT}`);
    });

    it('has nothing of a cause whose stack a library replaced by objects', () => {
      expect(lineOf(errorWith({ stack: [{}, {}] }))).to.equal(`${LINE} Cause: an error ${HINT}`);
    });
  });
});
