import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type App, isApp, routesOf } from '../ask/routes.js';
import { type Contained, eventsOf, firstLineOf } from './contain.js';
import { noteApps } from './express-notes.js';
import { Unusable } from './options.js';

type Module = Readonly<Record<string, unknown>>;
/** Between two looks at the routes. */
export const STEP_MS = 200;
const STEPS = 50;
/** An app can load its parts one after another. */
const SAME_STEPS = 5;
const WORDLESS_STEPS = 10;

interface Waiting {
  readonly stepMs: number;
  readonly onWait: (line: string) => unknown;
}

/** Returns the apps that a file exports or listens with within 50 steps, or else those that it made. */
export async function findApps(
  file: string,
  name: string,
  contained: Contained,
  { stepMs, onWait }: Waiting,
): Promise<readonly App[]> {
  const made = noteApps(file);
  let exported: readonly [name: string, value: unknown][] = [];
  let failure: unknown;
  load(file).then(
    (module) => (exported = [Object(module['default']) as Module, module].flatMap((one) => Object.entries(one))),
    (error: unknown) => (failure = error ?? 'an empty error'),
  );
  const roots = () => withRoutes([...made].filter((app) => !Reflect.get(app, 'parent')));
  const apps = () => {
    const found = withRoutes([...contained.listeners, ...exported.map(([, value]) => value)]);
    return found.length === 0 && contained.listeners.length > 0 ? roots() : found;
  };
  const countRoutes = () => apps().reduce((sum, app) => sum + routesOf(app).length, 0);
  for (let step = 0, count = 0, same = 0; step < STEPS && same < SAME_STEPS; step += 1) {
    if (count === 0 && failure !== undefined) throw new Unusable(`${name} cannot be loaded: ${describe(failure)}`);
    if (step === WORDLESS_STEPS && count === 0) onWait(`Waiting for an app of ${name} ...\n`);
    await wait(stepMs);
    const now = countRoutes();
    same = now > 0 && now === count ? same + 1 : 0;
    count = now;
  }
  const found = apps().length > 0 ? apps() : roots();
  if (found.length > 0) return found;
  const factory = exported.find(([, one]) => typeof one === 'function' && !isApp(one))?.[0];
  const advice = factory === undefined ? '' : `, or a file that calls the export ${factory} of ${name}`;
  throw new Unusable(`${name} made no Express app with a route in 10 s${eventsOf(contained)}.
Give the file that listens or exports the app${advice}. Does it wait for a database? See --noise.`);
}

const withRoutes = (values: readonly unknown[]) =>
  [...new Set(values)].filter(isApp).filter((app) => routesOf(app).length > 0);
/** Adds the line of the app that threw. */
function describe(error: unknown): string {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  const place = lines.find((line) => /^ +at /.test(line) && !/node:|node_modules/.test(line));
  return [firstLineOf(error), place].filter(Boolean).join('\n');
}

async function load(file: string): Promise<Module> {
  const { cache } = createRequire(file);
  // Some files listen only if `require.main === module`.
  Object.defineProperty(process, 'mainModule', { configurable: true, get: () => cache[realpathSync(file)] });
  try {
    return (await import(pathToFileURL(file).href)) as Module;
  } catch (error) {
    // Without an extension, as bin/www, or of a loader for require alone.
    if ((Object(error) as { code?: unknown }).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error;
    return { default: createRequire(file)(file) as unknown };
  }
}
