import { execSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { AuthError, KeyConfig, Tokens } from 'express-merchant-auth';
import { createTokens } from '../../src/index.js';
import { AWA } from '../helpers/accounts.js';
import { blocksOf, loadSnippet, writeSnippet, writeSnippets } from '../helpers/snippets.js';
import { thrownBy } from '../helpers/thrown.js';

const PAGE = 'docs/scaling.md';

const OLD: KeyConfig = { kid: '2026-11', algorithm: 'HS256', secret: 'the old secret, of 32 bytes or more' };
const NEW: KeyConfig = { kid: '2026-12', algorithm: 'HS256', secret: 'the new secret, of 32 bytes or more' };

/** Runs the command of the page for a token. */
function printedKid(TOKEN: string): string {
  const command = blocksOf(PAGE).find(({ file }) => file === 'kid.sh');
  // The comment of the page is not for cmd.
  const line = command?.text.split('\n')[1] ?? '';
  return execSync(line, { env: { ...process.env, TOKEN }, encoding: 'utf8' }).trim();
}

describe('docs/scaling.md', () => {
  it('shows how the secret of until now becomes a key of a ring', () => {
    const secret = 'the secret of until now, of 32 bytes or more';
    const token = createTokens({ secret }).issue(AWA);
    const ring = createTokens({ keys: [{ kid: printedKid(token), algorithm: 'HS256', secret }, NEW] });
    expect(ring.verify(token).sub).to.equal(AWA.id);
  });

  it('shows how an app takes a new ring without a restart, and keeps the old one when it cannot be used', () => {
    writeSnippets(PAGE);
    const file = writeSnippet('keys.json', '', PAGE);
    const writeRing = (...keys: readonly KeyConfig[]) => {
      fs.writeFileSync(file, JSON.stringify(keys));
    };
    const listeners = process.listeners('SIGHUP');
    const printed: unknown[][] = [];
    const { error } = console;
    console.error = (...values: unknown[]) => void printed.push(values);
    process.env['JWT_KEYS_FILE'] = path.resolve(file);
    try {
      writeRing(OLD);
      const { tokens } = loadSnippet('rotating-keys.ts', PAGE) as { tokens: Tokens };
      const token = createTokens({ keys: [NEW] }).issue(AWA);
      const refusal = thrownBy(() => tokens.verify(token)) as AuthError;
      expect(refusal.code).to.equal('invalid_token');
      expect(refusal.detail).to.include('its kid names none of these keys');

      writeRing(OLD, NEW);
      process.emit('SIGHUP');
      expect(tokens.verify(token).sub).to.equal(AWA.id);
      expect(printed).to.deep.equal([]);

      for (const unusable of ['[{"kid":"2026-12","secret":"geheim', '[{"kid":"2026-12"}]']) {
        fs.writeFileSync(file, unusable);
        process.emit('SIGHUP');
        expect(tokens.verify(token).sub).to.equal(AWA.id);
      }
      const line = 'The key ring stays as it was: the new one cannot be used.';
      expect(printed).to.deep.equal([[line], [line]]);
    } finally {
      console.error = error;
      Reflect.deleteProperty(process.env, 'JWT_KEYS_FILE');
      for (const listener of process.listeners('SIGHUP')) {
        if (!listeners.includes(listener)) process.off('SIGHUP', listener);
      }
    }
  });
});
