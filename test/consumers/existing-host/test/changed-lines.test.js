'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { test } = require('node:test');

const LIMIT = 45;

/** Returns the hunks of the diff between both versions. Each hunk is one place without unchanged lines in it. */
function hunks() {
  const options = ['--no-index', '--no-renames', '--no-ext-diff', '--no-color', '-U0', '--diff-algorithm=myers'];
  const cwd = path.join(__dirname, '../build');
  const args = ['diff', ...options, 'before', 'after'];
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  assert.equal(status, 1, stderr); // 1: the folders differ
  return [...stdout.matchAll(/^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/gm)].map(([, removed = 1, added = 1]) => {
    return { removed: Number(removed), added: Number(added) };
  });
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

test('the migration changes at most 45 lines of the files of the host, package.json included', (t) => {
  const places = hunks();
  const added = sum(places.map((place) => place.added));
  const removed = sum(places.map((place) => place.removed));
  const changed = sum(places.map((place) => Math.max(place.added, place.removed)));
  t.diagnostic(`changed lines: ${changed} (${added} added + ${removed} removed = ${added + removed} in the diff)`);
  assert.ok(added > 0 && removed > 0);
  assert.ok(changed <= LIMIT, `${changed} lines are changed`);
  assert.ok(added + removed <= LIMIT, `${added + removed} lines are in the diff`);
});
