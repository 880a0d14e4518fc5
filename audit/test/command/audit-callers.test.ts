import { expect } from 'chai';
import express from 'express';
import type { App } from '../../src/ask/routes.js';
import { auditCallers } from '../../src/command/audit-callers.js';
import { type Options, optionsOf } from '../../src/command/options.js';

function optionsWith(...args: string[]): Options {
  const options = optionsOf(['rows', '--as', 'X-Key: A', '--as', 'X-Key: B', ...args, 'server.js']);
  if (options === undefined) throw new Error('no options');
  return options;
}

/** Serves two rows for each caller, found by the caller too if the app is right. */
function appOf(isRight: boolean) {
  const rows = ['A', 'B'].flatMap((owner) => [1, 2].map((at) => ({ id: `${owner}-row-${at}7305`, owner })));
  const app = express();
  app.use((req, res, next) => {
    if (req.get('X-Key') === undefined) res.sendStatus(401);
    else next();
  });
  app.get('/rows', (req, res) => void res.json(rows.filter(({ owner }) => owner === req.get('X-Key'))));
  app.get('/rows/:id', (req, res) => {
    const found = rows.find(({ id, owner }) => id === req.params.id && (!isRight || owner === req.get('X-Key')));
    res.status(found ? 200 : 404).json(found ?? {});
  });
  return app as unknown as App;
}

describe('rows of the command', () => {
  it('ends with 1 and the advice for findings, and with 0 for a right app', async () => {
    const wrong = await auditCallers([appOf(false)], optionsWith());
    expect(wrong.code).to.equal(1);
    expect(wrong.text).to.contain(
      '\n\nFind each row by its id and by its owner, the caller. Answer 404 to all others.\n',
    );
    const right = await auditCallers([appOf(true)], optionsWith());
    expect(right.code).to.equal(0);
    expect(right.text).to.contain('\n\nNo GET route shows the rows of one caller to the other');
  });

  it('prints JSON, and passes on an error that is not a mistake of its user', async () => {
    const { code, text } = await auditCallers([appOf(true)], optionsWith('--json'));
    expect([code, (JSON.parse(text) as { findings: unknown }[]).map(({ findings }) => findings)]).to.deep.equal([
      0,
      [[]],
    ]);
    const broken = Object.assign(appOf(true), { handle: undefined });
    const failed = await auditCallers([broken as never], optionsWith()).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failed).to.be.instanceOf(Error);
  });
});
