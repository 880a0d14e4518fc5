import { execSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { KeyConfig, Tokens } from 'express-merchant-auth';
import { createTokens } from '../../src/index.js';
import { AWA } from '../helpers/accounts.js';
import { printedBy } from '../helpers/printed.js';
import { blockOf, loadSnippet, writeSnippet, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/scaling.md';

const OLD: KeyConfig = { kid: '2026-11', algorithm: 'HS256', secret: 'the old secret, of 32 bytes or more' };
const NEW: KeyConfig = { kid: '2026-12', algorithm: 'HS256', secret: 'the new secret, of 32 bytes or more' };

/** Runs the command of the page for a token. */
function printedKid(TOKEN: string): string {
  // The comment of the page is not for cmd.
  const [, line = ''] = blockOf(PAGE, 'kid.sh').split('\n');
  return execSync(line, { env: { ...process.env, TOKEN }, encoding: 'utf8' }).trim();
}

describe('docs/scaling.md', () => {
  it('shows how the secret of until now becomes a key of a ring', () => {
    const secret = 'the secret of until now, of 32 bytes or more';
    const token = createTokens({ secret }).issue(AWA);
    const ring = createTokens({ keys: [{ kid: printedKid(token), algorithm: 'HS256', secret }, NEW] });
    expect(ring.verify(token).sub).to.equal(AWA.id);
  });

  it('shows how an app takes a new ring without a restart, and keeps the old one when it cannot be used', async () => {
    writeSnippets(PAGE);
    const file = writeSnippet('keys.json', '', PAGE);
    const writeRing = (...keys: readonly KeyConfig[]) => {
      fs.writeFileSync(file, JSON.stringify(keys));
    };
    const listeners = process.listeners('SIGHUP');
    process.env['JWT_KEYS_FILE'] = path.resolve(file);
    try {
      writeRing(OLD);
      const { tokens } = loadSnippet('rotating-keys.ts', PAGE) as { tokens: Tokens };
      const token = createTokens({ keys: [NEW] }).issue(AWA);
      expect(() => tokens.verify(token))
        .to.throw()
        .with.property('detail')
        .that.includes('its kid names none of these keys');

      writeRing(OLD, NEW);
      process.emit('SIGHUP');
      expect(tokens.verify(token).sub).to.equal(AWA.id);

      fs.writeFileSync(file, '[{"kid":"2026-12","secret":"geheim');
      const printed = await printedBy('error', () => process.emit('SIGHUP'));
      expect(printed).to.deep.equal([['The key ring stays as it was: the new one cannot be used.']]);
      expect(tokens.verify(token).sub).to.equal(AWA.id);
    } finally {
      Reflect.deleteProperty(process.env, 'JWT_KEYS_FILE');
      for (const listener of process.listeners('SIGHUP')) {
        if (!listeners.includes(listener)) process.off('SIGHUP', listener);
      }
    }
  });
});
