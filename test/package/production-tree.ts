import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { npm } from './npm.js';

const ROOT = path.resolve(__dirname, '../..');

/** One production dependency, as the lock file describes it. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

/** Returns the folders of the installed production dependencies, even indirect ones. Peers do not count. */
export async function installedDependencies(...options: readonly string[]): Promise<readonly string[]> {
  const list = ['ls', '--omit=dev', '--all', '--parseable', '--workspaces=false', ...options];
  const { output, errors } = await npm(ROOT, ...list);
  const [first, ...folders] = output.trim().split(/\r?\n/);
  if (first !== ROOT) throw new Error(`npm cannot list the dependencies.\n${errors}`);
  return folders;
}

/** Returns the bytes of the files of a package, without those of its dependencies. */
export function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules');
  return entries
    .map((entry) => {
      const file = path.join(folder, entry.name);
      return entry.isDirectory() ? sizeOf(file) : statSync(file).size;
    })
    .reduce((sum, size) => sum + size, 0);
}

let locked: Promise<readonly Dependency[]> | undefined;

/** Returns the production dependencies of the lock file, with the binaries for all platforms. Asks npm once. */
export function lockedDependencies(): Promise<readonly Dependency[]> {
  return (locked ??= readDependencies());
}

async function readDependencies(): Promise<readonly Dependency[]> {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Omit<Dependency, 'name' | 'folder'>>>;
  };
  const folders = await installedDependencies('--package-lock-only');
  return folders.map((folder) => {
    const key = path.relative(ROOT, folder).replaceAll(path.sep, '/');
    const entry = packages[key];
    if (entry === undefined) throw new Error(`The lock file has no ${key}.`);
    return { ...entry, folder, name: key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length) };
  });
}
