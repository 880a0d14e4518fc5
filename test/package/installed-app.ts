import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const HOSTS = path.join(__dirname, 'hosts');

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The settings of an app: the installed package that is its Express, and the packages that it lacks. */
export interface AppOptions {
  readonly express: 'express' | 'express4';
  readonly omitsOptional: boolean;
}

/**
 * Makes a folder with the built package, its production dependencies and the programs of `hosts`, as npm installs them.
 * It copies the files, because the permission model follows symbolic links. Returns its path.
 */
export function installApp({ express, omitsOptional }: AppOptions): string {
  const app = fs.mkdtempSync(path.join(fs.realpathSync(tmpdir()), 'installed-app-'));
  fs.cpSync(HOSTS, app, { recursive: true });

  const own = path.join(app, 'node_modules', 'express-merchant-auth');
  const { dependencies = {} } = manifestIn(ROOT);
  fs.cpSync(path.join(ROOT, 'dist'), path.join(own, 'dist'), { recursive: true });
  fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(own, 'package.json'));

  const folders = new Set<string>();
  for (const name of [express, ...Object.keys(dependencies)]) collect(name, ROOT, omitsOptional, folders);
  for (const folder of folders) {
    const place = path.relative(ROOT, folder).replace(/^node_modules.express4\b/, path.join('node_modules', 'express'));
    const isOwnFile = (file: string) => !path.relative(folder, file).split(path.sep).includes('node_modules');
    fs.cpSync(folder, path.join(app, place), { recursive: true, filter: isOwnFile });
  }
  return app;
}

/** Adds the folder of a package as the importer finds it, and those of its dependencies. */
function collect(name: string, importer: string, omitsOptional: boolean, folders: Set<string>): void {
  const folder = folderOf(name, importer);
  if (folder === undefined || folders.has(folder)) return;
  folders.add(folder);
  const { dependencies, optionalDependencies } = manifestIn(folder);
  const names = Object.keys({ ...dependencies, ...(omitsOptional ? {} : optionalDependencies) });
  for (const needed of names) collect(needed, folder, omitsOptional, folders);
}

/** Finds a package as Node.js does. Returns `undefined` for an optional package of another platform. */
function folderOf(name: string, importer: string): string | undefined {
  for (let parent = importer; parent.startsWith(ROOT); parent = path.dirname(parent)) {
    const folder = path.join(parent, 'node_modules', name);
    if (fs.existsSync(folder)) return folder;
  }
  return undefined;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}
