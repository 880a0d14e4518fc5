import path from 'node:path';
import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import { computeWith, nativePackage } from '../../src/passwords/native-package.js';
import { STORE_UNAVAILABLE } from '../helpers/answers.js';
import { rejectionOf, thrownBy } from '../helpers/thrown.js';
import { setVariable } from '../helpers/variables.js';

const NAME = '@node-rs/argon2';
const MANIFEST = {
  optionalDependencies: {
    '@node-rs/argon2-linux-x64-musl': '2.2.1',
    '@node-rs/argon2-darwin-arm64': '2.2.1',
    '@node-rs/argon2-wasm32-wasi': '2.2.1',
  },
};
const PASSWORDS = path.resolve(__dirname, '../../src/passwords');
const NOT_THERE = '\nRequire stack:\n- index.js';
const HERE = `${process.platform}-${process.arch}`;

/** Returns the error of a loader that failed with these messages, as @node-rs/argon2 or @node-rs/bcrypt reports them. */
function failure(kind: 'chain' | 'list', messages: readonly string[]): Error {
  const errors = messages.map((message) => new Error(message));
  if (kind === 'list') return new Error('Failed to load native binding', { cause: errors });
  const cause = errors.reduce((previous, { message }) => new Error(message, { cause: previous }));
  return new Error('Cannot find native binding. npm has a bug related to optional dependencies.', { cause });
}

/** Loads the manifest, and fails to load the package. */
function failingWith(error: Error) {
  return (id: string): unknown => {
    if (id === `${NAME}/package.json`) return MANIFEST;
    throw error;
  };
}

function messageFor(error: Error): string {
  const library = nativePackage(NAME, failingWith(error));
  const thrown = thrownBy(library) as Error;
  expect(thrown.cause).to.equal(error);
  return thrown.message;
}

describe('nativePackage', () => {
  it('loads the package once, at the first call', () => {
    const loaded: string[] = [];
    const library = nativePackage(NAME, (id) => loaded.push(id));
    expect(loaded).to.deep.equal([]);
    for (let call = 0; call < 2; call++) expect(library()).to.equal(1);
    expect(loaded).to.deep.equal([NAME]);
  });

  it('tries again at each call, because a failure can be short', () => {
    const problem = 'failed to map segment from shared object';
    const fail = failingWith(failure('list', ["Cannot find module './argon2.linux-x64-gnu.node'", problem]));
    let isShort = true;
    const library = nativePackage(NAME, (id) => (isShort ? fail(id) : id));
    const message = `The binary of ${NAME} for ${HERE} does not load: ${problem}`;
    for (let call = 0; call < 2; call++) expect(thrownBy(library)).to.have.property('message', message);
    isShort = false;
    expect(library()).to.equal(NAME);
  });

  it('says what to install when a bundle runs without the package', () => {
    const library = nativePackage('@node-rs/nothing', (id) => {
      throw new Error(`Cannot find module '${id}'${NOT_THERE}`);
    });
    expect(thrownBy(library)).to.have.property(
      'message',
      `@node-rs/nothing is not installed in ${PASSWORDS} or above. Bundlers leave it out. There, run: npm install @node-rs/nothing`,
    );
  });

  const musl = 'linux-x64-musl';
  const arm = 'darwin-arm64';
  for (const [title, messages, expected] of [
    [
      'the missing package, with its libc',
      [`Cannot find module './argon2.${musl}.node'`, `Cannot find module '${NAME}-${musl}'`],
      `${NAME} has no binary for ${musl}: the optional package ${NAME}-${musl} is not installed. Install on this platform without --omit=optional, or run: npm install ${NAME}-${musl}@2.2.1`,
    ],
    [
      'the missing package that is published, and not the universal one',
      [`Cannot find module '${NAME}-darwin-universal'`, `Cannot find module '${NAME}-${arm}'`],
      `${NAME} has no binary for ${arm}: the optional package ${NAME}-${arm} is not installed. Install on this platform without --omit=optional, or run: npm install ${NAME}-${arm}@2.2.1`,
    ],
    [
      'a platform without a package, although WebAssembly is missing too',
      [`Cannot find module '${NAME}-linux-s390x-gnu'`, `Cannot find module '${NAME}-wasm32-wasi'`],
      `${NAME} is not published for ${HERE}. Run the login on another platform.`,
    ],
    [
      'a platform that the loader does not know',
      ['Unsupported OS: aix, architecture: ppc64'],
      `${NAME} is not published for ${HERE}. Run the login on another platform.`,
    ],
    [
      'the reason of a binary that does not load',
      [`Cannot find module '${NAME}-darwin-universal'`, "version `GLIBC_2.38' not found"],
      `The binary of ${NAME} for ${HERE} does not load: version \`GLIBC_2.38' not found`,
    ],
    [
      'the permission model',
      ['Cannot load native addon because loading addons is disabled.'],
      `${NAME} is a native addon, and the permission model forbids it. Start Node.js with --allow-addons.`,
    ],
  ] as const) {
    it(`names ${title}, from a chain or a list of causes`, () => {
      const found = messages.map((message) => message + NOT_THERE);
      for (const kind of ['chain', 'list'] as const) expect(messageFor(failure(kind, found))).to.equal(expected);
    });
  }

  it('names --no-addons when NODE_OPTIONS has it', () => {
    setVariable('NODE_OPTIONS', '--no-addons');
    const message = messageFor(failure('list', ['Cannot load native addon because loading addons is disabled.']));
    expect(message).to.equal(`${NAME} is a native addon, and --no-addons forbids it. Start Node.js without this flag.`);
  });
});

describe('computeWith', () => {
  it('rejects with an AuthError of the host when the package does not load, or fails', async () => {
    const absent = new Error('the package and the fix');
    const fails = new Error('$2y$12$ and a password');
    const throws = () => {
      throw absent;
    };
    for (const [computation, cause, detail] of [
      [computeWith(throws, () => Promise.resolve()), absent, absent.message],
      [
        computeWith(
          () => undefined,
          () => Promise.reject(fails),
        ),
        fails,
        'A hash could not be computed.',
      ],
    ] as const) {
      const error = await rejectionOf(computation);
      expect(error).to.be.instanceOf(AuthError);
      expect(error).to.include({ code: STORE_UNAVAILABLE, status: 503, hostSide: true, detail, cause });
    }
  });
});
