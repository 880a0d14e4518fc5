import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { callAsync } from '../../../src/base/host-calls.js';
import { caseOf, leaveOutUnless } from '../../../src/testing/index.js';
import { rejectionOf } from '../../helpers/thrown.js';

const ROOT = path.resolve(__dirname, '../../..');

describe('a case that is left out', () => {
  const { run } = caseOf('the rule', () => callAsync(() => leaveOutUnless(false, 'Give the account.')));

  it('is skipped in mocha, in runners that have a test context as `this`, and in Vitest, where it is an argument', async () => {
    const { skip, reasons } = context();
    await run.call({ skip });
    await Reflect.apply(run, undefined, [Object.assign(() => undefined, { skip })]);
    expect(reasons).to.deep.equal(['Give the account.', 'Give the account.']);
    const pending = new Error('pending');
    const throwing = () => {
      throw pending;
    };
    expect(await rejectionOf(run.call({ skip: throwing }))).to.equal(pending);
  });

  it('is skipped in node:test', () => {
    const code =
      "const { caseOf, leaveOutUnless } = require('./src/testing/index.ts');" +
      "const { name, run } = caseOf('the rule', async () => leaveOutUnless(false, 'Give it.'));" +
      "require('node:test').test(name, run);";
    const loader = pathToFileURL(path.join(ROOT, 'test/helpers/typescript.mjs')).href;
    const args = ['--import', loader, '--test-reporter', 'tap', '--eval', code];
    const output = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    expect(output).to.match(/^ok 1 - the rule # SKIP Give it\.$/m);
  });

  it('says so on the console in Jest, which cannot skip a test that runs, and takes a parameter for a callback', async () => {
    const { mock: printed } = mock.method(console, 'warn', () => undefined);
    await run.call({});
    const [call] = printed.calls;
    mock.restoreAll();
    expect(call?.arguments).to.deep.equal(['Left out: the rule. Give the account.']);
    expect(run.length).to.equal(0);
  });

  it('is not one that fails or passes', async () => {
    const failure = new Error('failed');
    const { skip, reasons } = context();
    expect(await rejectionOf(caseOf('fails', () => Promise.reject(failure)).run.call({ skip }))).to.equal(failure);
    await caseOf('passes', () => callAsync(() => leaveOutUnless(true, 'never'))).run.call({ skip });
    expect(reasons).to.deep.equal([]);
  });
});

function context() {
  const reasons: string[] = [];
  return { reasons, skip: (reason: string) => void reasons.push(reason) };
}
