import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { emitWarning } from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import { createLoginRouter, createTokens, InMemoryUserStore, requireBearer } from 'express-merchant-auth';
import { type AuthErrorCode, catalogue, entryOf } from '../../src/errors/catalogue.js';
import { AWA } from '../helpers/accounts.js';
import { FOREIGN_REFERENCE, MISSING_TOKEN } from '../helpers/answers.js';
import { printedBy } from '../helpers/diagnostics.js';
import { bearer, serve } from '../helpers/http.js';
import { codesIn, declaredMembers, listedMembers } from '../helpers/members.js';
import { loadSnippet, readPage, rowsOf, writeSnippet, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/events.md';

function sectionOf(heading: string): string {
  return (
    readPage(PAGE)
      .split(/^## /m)
      .find((section) => section.startsWith(`${heading}\n`)) ?? ''
  );
}

function textOf({ name, type }: { readonly name: string; readonly type: string }): string {
  return `${name}: ${type}`;
}

/** Returns the statuses of the answers that an event reports. */
function statusesOf(event: string): string[] {
  const codes = Object.keys(catalogue) as AuthErrorCode[];
  const statuses = codes.map(entryOf).flatMap((entry) => (entry.event === event ? [String(entry.status)] : []));
  return [...new Set(statuses)];
}

describe(PAGE, () => {
  before(() => {
    writeSnippets(PAGE);
  });

  it('shows an audit that prints failed logins and refused requests, and no email', async () => {
    const audit = loadSnippet('audit.ts', PAGE) as { identifyRequest: RequestHandler; stopListening: () => void };
    const { identifyRequest, stopListening } = audit;
    const app = express().use(identifyRequest, createLoginRouter(new InMemoryUserStore()), requireBearer());
    const ids: unknown[] = [];
    const printed = await printedBy('warn', async () => {
      const client = await serve(app);
      const send: typeof client.send = async (...request) => {
        const answer = await client.send(...request);
        ids.push(answer.headers['x-request-id']);
        return answer;
      };
      await send('POST', '/login', { body: { email: AWA.email, password: 'not the password' } });
      await send('GET', '/payments');
      const headers = bearer(createTokens().issue(AWA));
      await send('GET', '/payments?refercence_cl=CNT-1002', { headers });
    }).finally(stopListening);
    const reasons = ['unknown_email', MISSING_TOKEN, FOREIGN_REFERENCE];
    expect(printed.map(([, id, , reason]) => [id, reason])).to.deep.equal(
      reasons.map((reason, at) => [ids[at], reason]),
    );
    expect(new Set(ids)).to.have.property('size', 3);
    expect(JSON.stringify(printed)).not.to.include('awa@');
  });

  it('shows a file that gets the events without importing the package, and is loaded before the host', () => {
    const host = `
      import { createGuard } from 'express-merchant-auth';
      await createGuard().authenticate({ headers: {} }, { source: '203.0.113.7' }).catch(() => undefined);`;
    const folder = path.dirname(writeSnippet('host.mjs', host, PAGE));
    const { stderr } = spawnSync(process.execPath, ['--import', './audit-channel.mjs', 'host.mjs'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stderr.replace(/^\S+Z /, '')).to.equal(`${MISSING_TOKEN} 203.0.113.7\n`);
  });

  it('shows a listener for the warnings of this package', async () => {
    const known = process.listeners('warning');
    loadSnippet('warnings.ts', PAGE);
    const added = process.listeners('warning').filter((listener) => !known.includes(listener));
    try {
      const printed = await printedBy('warn', async () => {
        emitWarning('of another package', { type: 'Warning', code: 'OTHER' });
        emitWarning('trust proxy is off', { type: 'ExpressMerchantAuthWarning', code: 'EMA_TRUST_PROXY' });
        // Warnings are emitted in process.nextTick, so before this.
        await setImmediate();
      });
      expect(printed).to.deep.equal([['EMA_TRUST_PROXY', 'trust proxy is off']]);
    } finally {
      for (const listener of added) process.off('warning', listener);
    }
  });

  describe('the lists', () => {
    const rows = rowsOf(PAGE, 'event').map(([event = '', when = '', names = '']) => ({
      event: codesIn(event).join(),
      statuses: [...(when.match(/\b\d{3}\b/g) ?? [])],
      names: codesIn(names).sort(),
    }));
    const [every, further] = sectionOf('The events').split('Further members:\n');

    /** The members of each event, and those that all events have. */
    let declared: readonly { readonly event: string; readonly members: readonly string[] }[];
    let common: readonly string[];

    before('read the types', () => {
      declared = declaredMembers('src/events/auth-event.ts', 'AuthEvent').map((members) => ({
        event: members.find(({ name }) => name === 'type')?.type.slice(1, -1) ?? '',
        members: members.filter(({ name }) => name !== 'type').map(textOf),
      }));
      const lists = declared.map(({ members }) => members);
      common = lists.reduce((shared, members) => shared.filter((member) => members.includes(member)));
    });

    it('have each event with its statuses and its further members', () => {
      const expected = declared.map(({ event, members }) => {
        const names = members.filter((member) => !common.includes(member)).map((member) => member.replace(/:.*/, ''));
        return { event, statuses: statusesOf(event), names: names.sort() };
      });
      expect(rows).to.deep.equal(expected);
    });

    it('have each member with its type, and name the events that have it', () => {
      expect(listedMembers(every ?? '').map(textOf)).to.have.members(common);
      const listed = listedMembers(further ?? '').flatMap((member) => {
        const events = rows.filter(({ names }) => names.includes(member.name)).map(({ event }) => event);
        const owners = member.owners.length > 0 ? member.owners : events.length > 0 ? events : ['no event'];
        return owners.map((owner) => `${owner} ${textOf(member)}`);
      });
      const expected = declared.flatMap(({ event, members }) =>
        members.filter((member) => !common.includes(member)).map((member) => `${event} ${member}`),
      );
      expect(listed).to.have.members(expected);
    });

    it('explain each reason of a failed login', () => {
      const explained = [...sectionOf('The reasons of a failed login').matchAll(/^- `(\w+)`: /gm)];
      const failed = declared.find(({ event }) => event === 'login_failed');
      const reasons = explained
        .map(([, reason]) => `"${reason}"`)
        .sort()
        .join(' | ');
      expect(failed?.members).to.include(`reason: ${reasons}`);
    });
  });

  it('lists the codes of all warnings in src', () => {
    const files = fs.readdirSync(path.resolve(__dirname, '../../src'), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => file.endsWith('.ts')).map((file) => readPage(path.join('src', file)));
    const codes = new Set(sources.flatMap((text) => text.match(/(?<=')EMA_\w+(?=')/g) ?? []));
    const listed = [...sectionOf('The warnings').matchAll(/^- `(EMA_\w+)`: /gm)].map(([, code]) => code);
    expect(listed)
      .to.have.members([...codes])
      .and.have.length.above(0);
  });
});
