import { expect } from 'chai';
import express from 'express';
import type { App } from '../../src/ask/routes.js';
import { auditCallers } from '../../src/command/audit-callers.js';

const CALLERS = [
  { name: 'A', headers: { 'X-Key': 'A' } },
  { name: 'B', headers: { 'X-Key': 'B' } },
] as const;

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
    const wrong = await auditCallers([appOf(false)], CALLERS, false);
    expect(wrong.code).to.equal(1);
    const advice = '\n\nFind each row by its id and by its owner, the caller. Answer 404 to all others.\n';
    expect(wrong.text).to.contain(advice);
    const right = await auditCallers([appOf(true)], CALLERS, false);
    expect(right.code).to.equal(0);
    expect(right.text).to.contain('\n\nNo GET route shows the rows of one caller to the other');
  });

  it('prints JSON', async () => {
    const { code, text } = await auditCallers([appOf(true)], CALLERS, true);
    expect(code).to.equal(0);
    expect(JSON.parse(text)).to.have.nested.property('[0].findings').that.deep.equals([]);
  });
});
