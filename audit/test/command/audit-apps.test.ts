import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import express from 'express';
import type { App } from '../../src/ask/routes.js';
import { auditApps } from '../../src/command/audit-apps.js';
import { optionsOf } from '../../src/command/options.js';

describe('open-routes.json', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'audit-'));
  const file = path.join(folder, 'open.json');
  after(() => rmSync(folder, { recursive: true }));

  async function audit(routes: Readonly<Record<string, number>>, ...args: string[]) {
    const app = express();
    for (const [route, status] of Object.entries(routes)) {
      app.get(
        route,
        (_req, res, next) => {
          if (status === 200) next();
          else res.sendStatus(status);
        },
        (_req, res) => void res.end(),
      );
    }
    const options = optionsOf([...args, '--accepted', file, 'server.js']);
    if (options === undefined) throw new Error('no options');
    const { code, text } = await auditApps([app as unknown as App], options, {
      contained: { listeners: [], faults: new Set(), exitCode: undefined },
      gate: { gated: new Set(), endsHere: () => false },
      onProgress: () => undefined,
    });
    return { code, text: text.slice(text.indexOf(' routes: ') - 1) };
  }
  const written = () => JSON.parse(readFileSync(file, 'utf8')) as unknown;

  it('has the open routes after --accept, so that only others fail', async () => {
    const { code, text } = await audit({ '/health': 200, '/v1': 401 }, '--accept');
    expect(text).to.include(`${file} lists what is open (1). Commit it: from now on only others fail.\n`);
    expect([code, written()]).to.deep.equal([0, ['GET /health']]);
    const again = await audit({ '/health': 200, '/v1': 401 });
    expect(again.text).to.match(/^2 routes: 0 open, 1 accepted, 1 refused .*\n.*\n\nNo new route answers a stranger/);
    expect(again.code).to.equal(0);
    const more = await audit({ '/health': 200, '/new': 200 });
    expect(more.text).to.match(/^2 routes: 1 open, 1 accepted, 0 refused/);
    expect(more.code).to.equal(1);
  });

  it('keeps no route that is gone or refuses', async () => {
    const routes = { '/health': 200, '/closed': 401, '/down': 500 };
    writeFileSync(file, '["GET /closed", "GET /down", "GET /gone", "GET /health"]');
    const { code, text } = await audit(routes);
    expect(text).to.include(`\nNo longer open: GET /closed, GET /gone. Run again with --accept.\n`);
    expect(code).to.equal(0);
    expect((await audit(routes, '--accept')).text).not.to.include('No longer open');
    expect(written()).to.deep.equal(['GET /health']);
  });

  it('stays if nothing is known', async () => {
    writeFileSync(file, '["GET /health"]');
    const { code, text } = await audit({ '/health': 500 }, '--accept');
    expect(text).to.include('Nothing is known. Start what the app needs').and.not.include('No longer open');
    expect([code, written()]).to.deep.equal([2, ['GET /health']]);
    expect((await audit({})).text).to.include('No route was found. A package that wraps every router hides them');
  });

  it('has to be a list of texts', async () => {
    for (const text of ['{"GET /health": true}', '[1]', '["GET /health"']) {
      writeFileSync(file, text);
      const { message } = await audit({ '/health': 200 }).then(
        () => expect.fail('no error'),
        (error: unknown) => error as Error,
      );
      expect(message, text).to.equal(
        `${file} is not a JSON list of routes such as "GET /health". Delete it, and write it with --accept.`,
      );
    }
  });
});
