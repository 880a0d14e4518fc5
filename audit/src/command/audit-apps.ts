import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { askRoutes } from '../ask/ask-routes.js';
import { type App, routesOf } from '../ask/routes.js';
import { type Contained, eventsOf } from './contain.js';
import type { Gate } from './nest-gate.js';
import { type Options, type Outcome, Unusable } from './options.js';
import { makePlaceOf } from './place-of.js';
import { isOpen, isUnknown, keyOf, type Row, textOf } from './report.js';

const PROGRESS_FROM = 100;

interface Context {
  readonly contained: Contained;
  readonly gate: Gate;
  readonly onProgress: (text: string) => unknown;
}

export async function auditApps(apps: readonly App[], options: Options, context: Context): Promise<Outcome> {
  const { accept, acceptedFile, all, json } = options;
  const accepted = acceptedIn(acceptedFile);
  const started = performance.now();
  const { rows, asked } = await askApps(apps, options, context);
  const fresh = rows.filter((row) => isOpen(row) && !accepted.includes(keyOf(row)));
  const unknown = rows.filter(isUnknown);
  const open = [...new Set(rows.filter(isOpen).map(keyOf))].sort();
  const code = unknown.length === rows.length ? 2 : fresh.length > 0 && !accept ? 1 : 0;
  if (accept && code === 0) writeFileSync(acceptedFile, `${JSON.stringify(open, null, 2)}\n`);
  if (json) return { code, text: `${JSON.stringify(rows, null, 2)}\n` };
  const seconds = (from: number) => `${((performance.now() - from) / 1000).toFixed(1)} s`;
  const isColored = process.stdout.isTTY && !process.env['NO_COLOR'];
  const sum = `${asked} requests, ${seconds(0)} (${seconds(started)} without the start)${eventsOf(context.contained)}`;
  const stale = accepted.filter((route) => ![...open, ...unknown.map(keyOf)].includes(route)).join(', ');
  const note = stale && !accept ? `No longer open: ${stale}. Run again with --accept.\n` : '';
  return { code, text: `${textOf({ rows, fresh, showsAll: all, isColored })}${sum}\n\n${note}${adviceOf()}\n` };

  function adviceOf(): string {
    const start = 'Start what the app needs, for example its database, and run again.';
    if (rows.length === 0)
      return 'No route was found. A package that wraps every router hides them: give the app without it.';
    if (code === 2) return `Nothing is known. ${start} See --noise.`;
    if (accept) return `${acceptedFile} lists what is open (${open.length}). Commit it: from now on only others fail.`;
    if (code === 1)
      return 'Mount your guard before what should be closed. What is meant to be open: run again with --accept.';
    if (unknown.length > 0) return `${unknown.length} routes are not known. ${start}`;
    return 'No new route answers a stranger. Run this in CI.';
  }
}

/** A missing file accepts none. */
function acceptedIn(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  try {
    const routes: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(routes) && routes.every((route) => typeof route === 'string')) return routes;
  } catch {
    // The sentence below says it.
  }
  throw new Unusable(
    `${file} is not a JSON list of routes such as "GET /health". Delete it, and write it with --accept.`,
  );
}

async function askApps(apps: readonly App[], { run, headers }: Options, { gate, onProgress }: Context) {
  const rows: Row[] = [];
  let asked = 0;
  const placeOf = makePlaceOf();
  for (const app of apps) {
    const isLong = process.stderr.isTTY && routesOf(app).length > PROGRESS_FROM;
    const found = await askRoutes(app, {
      runs: run,
      headers,
      gated: gate.gated,
      onGate: (isReached) => (gate.endsHere = isReached),
      onRoute: (done, of) =>
        isLong && onProgress(done < of ? `\rasked ${Math.floor((100 * done) / of)} %` : '\r          \r'),
    });
    asked += found.asked;
    for (const { handler, refuser, route, ...row } of found.routes) {
      const place = refuser ? placeOf(refuser) : '';
      const isNest = place === '@nestjs/core' && route && gate.gated.has(route);
      rows.push({ ...row, place: handler ? placeOf(handler) : '', refuser: isNest ? 'a guard of NestJS' : place });
    }
  }
  return { rows, asked };
}
