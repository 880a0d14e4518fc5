import { createRequire } from 'node:module';
import path from 'node:path';
import { unavailable } from '../errors/auth-error.js';

type Binaries = Readonly<Record<string, string>>;

/**
 * Bun embeds only literal requires (`bun build --compile`). The condition `bun` in package.json hides them from other
 * bundlers, which fail at a binary.
 */
const EMBEDDED: Readonly<Record<string, () => unknown>> = {
  '@node-rs/argon2': (): unknown => require('#argon2'),
  '@node-rs/bcrypt': (): unknown => require('#bcrypt'),
};

/**
 * A host that only guards never loads the package. Each call tries again: a failure can be short, for example too many
 * open files.
 * @throws Error with the reason and the fix
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the type of the package
export function nativePackage<Library>(name: string, load: (id: string) => unknown = loadPackage): () => Library {
  let library: Library | undefined;
  return () => {
    try {
      return (library ??= load(name) as Library);
    } catch (cause) {
      throw new Error(explain(name, binariesOf(name, load), messagesIn(cause)), { cause });
    }
  };
}

/** @throws AuthError of `unavailable` when the package does not load or fails */
export async function computeWith<Library, Result>(
  library: () => Library,
  compute: (library: Library) => Promise<Result>,
): Promise<Result> {
  let detail: string | undefined;
  try {
    const loaded = library();
    detail = 'A hash could not be computed.';
    return await compute(loaded);
  } catch (cause) {
    throw unavailable(detail ?? (cause as Error).message, cause);
  }
}

function loadPackage(id: string): unknown {
  try {
    const loadEmbedded = EMBEDDED[id];
    if (loadEmbedded) return loadEmbedded();
  } catch {
    // Only Bun embeds the packages.
  }
  return createRequire(ownFile())(id);
}

/**
 * webpack and rollup replace `require`, and cannot bundle a binary. A bundle of ES modules has no `__filename`, and
 * webpack can make it relative.
 */
function ownFile(): string {
  const isKnown = typeof __filename === 'string' && path.isAbsolute(__filename);
  return isKnown ? __filename : path.resolve(process.argv[1] ?? 'main.js');
}

function binariesOf(name: string, load: (id: string) => unknown): Binaries {
  try {
    return (load(`${name}/package.json`) as { optionalDependencies: Binaries }).optionalDependencies;
  } catch {
    return {};
  }
}

function explain(name: string, binaries: Binaries, messages: readonly string[]): string {
  if (messages.some((message) => message.includes('loading addons is disabled'))) {
    return `${name} is a native addon, and ${howToAllowAddons()}`;
  }
  const absent = messages.flatMap((message) => /^Cannot find module '(@[\w/-]+)'/.exec(message)?.[1] ?? []);
  if (absent.includes(name)) {
    const from = path.dirname(ownFile());
    return `${name} is not installed in ${from} or above. Bundlers leave it out. There, run: npm install ${name}`;
  }
  const binary = absent.find((found) => found in binaries && !found.includes('wasm'));
  if (binary !== undefined) {
    const platform = binary.slice(name.length + 1);
    return (
      `${name} has no binary for ${platform}: the optional package ${binary} is not installed. Install on this platform ` +
      `without --omit=optional, or run: npm install ${binary}@${binaries[binary]}`
    );
  }
  const platform = `${process.platform}-${process.arch}`;
  const broken = messages.find((message) => !IS_ABSENT.test(message));
  if (broken !== undefined) return `The binary of ${name} for ${platform} does not load: ${broken.split('\n', 1)[0]}`;
  return `${name} is not published for ${platform}. Run the login on another platform.`;
}

/** Messages of @node-rs itself, not of a binary. */
const IS_ABSENT = /^(?:Cannot find native|Cannot find module '[.@]|Failed to load native|Unsupported )/;

function howToAllowAddons(): string {
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  return flags.includes('--no-addons')
    ? '--no-addons forbids it. Start Node.js without this flag.'
    : 'the permission model forbids it. Start Node.js with --allow-addons.';
}

/** A loader gives a list of causes, or a chain. */
function messagesIn(error: unknown): string[] {
  if (Array.isArray(error)) return error.flatMap(messagesIn);
  const { message, cause } = (error ?? {}) as { message?: string; cause?: unknown };
  return message === undefined ? [] : [message, ...messagesIn(cause)];
}
