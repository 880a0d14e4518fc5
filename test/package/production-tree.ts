import { readFileSync } from 'node:fs';
import path from 'node:path';
import { npm } from './npm.js';

/** One production dependency, as the lock file describes it. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

interface LockFile {
  readonly packages: Readonly<Record<string, Omit<Dependency, 'name' | 'folder'>>>;
}

/** Lists the production dependencies of the package in a folder, also those of dependencies. Peers do not count. */
async function foldersOf(root: string, ...options: readonly string[]): Promise<readonly string[]> {
  const { output, errors } = await npm(
    root,
    'ls',
    '--omit=dev',
    '--all',
    '--parseable',
    '--workspaces=false',
    ...options,
  );
  const [first, ...folders] = output.trim().split(/\r?\n/);
  if (first !== root) throw new Error(`npm cannot list the dependencies of ${root}.\n${errors}`);
  return folders;
}

const locked = new Map<string, Promise<readonly Dependency[]>>();

/** Returns the production dependencies of the lock file, with the binaries for all platforms. Asks npm once a folder. */
export function lockedDependencies(root: string): Promise<readonly Dependency[]> {
  const known = locked.get(root) ?? readDependencies(root);
  locked.set(root, known);
  return known;
}

async function readDependencies(root: string): Promise<readonly Dependency[]> {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as LockFile;
  const folders = await foldersOf(root, '--package-lock-only');
  return folders.map((folder) => {
    const key = path.relative(root, folder).replaceAll(path.sep, '/');
    const entry = packages[key];
    if (entry === undefined) throw new Error(`The lock file has no ${key}.`);
    return { ...entry, folder, name: key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length) };
  });
}

/** Returns the folders of the production dependencies that are installed on this platform. */
export function installedDependencies(root: string): Promise<readonly string[]> {
  return foldersOf(root);
}
