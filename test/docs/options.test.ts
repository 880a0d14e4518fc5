import { expect } from 'chai';
import { createMerchantClient } from '../../client/src/index.js';
import * as auth from '../../src/index.js';
import { openApi } from '../../src/openapi/index.js';
import { readPage } from '../helpers/snippets.js';

type Factories = Readonly<Record<string, (options: never) => unknown>>;

/** Calls each factory of a page with options that it does not know. */
const PAGES: Readonly<Record<string, Factories>> = {
  'docs/options.md': {
    createLogin: (options) => auth.createLogin(new auth.InMemoryUserStore(), options),
    createLoginRouter: (options) => auth.createLoginRouter(new auth.InMemoryUserStore(), options),
    createGuard: auth.createGuard,
    requireBearer: auth.requireBearer,
    requireOwnReference: auth.requireOwnReference,
    authErrorHandler: auth.authErrorHandler,
    createTokens: auth.createTokens,
    createPasswords: auth.createPasswords,
    createLoginThrottle: auth.createLoginThrottle,
    createCachedUserStore: (options) => auth.createCachedUserStore(new auth.InMemoryUserStore(), options),
    openApi,
  },
  'client/README.md': { createMerchantClient },
};

/** Returns the generated sections of a page, without the types. */
function sectionsOf(page: string): string {
  const [, block = ''] = /<!-- options -->([\s\S]*)^## Types$/m.exec(readPage(page)) ?? [];
  return block;
}

/** The items of each section of a page, by the name of the factory. */
function listedOptions(page: string): Record<string, string[]> {
  const listed: Record<string, string[]> = {};
  for (const section of sectionsOf(page).split(/^## /m).slice(1)) {
    const [factory = ''] = section.split('\n', 1);
    const [, other = ''] = /^All options of \[(\w+)\]/m.exec(section) ?? [];
    const own = [...section.matchAll(/^- \*\*`(\w+)`\*\*/gm)].map(([, option = '']) => option);
    listed[factory] = [...(listed[other] ?? []), ...own];
  }
  return listed;
}

for (const [page, factories] of Object.entries(PAGES)) {
  describe(page, () => {
    it('lists every option of every factory, and none that does not exist', () => {
      const listed = listedOptions(page);
      expect(Object.keys(listed)).to.deep.equal(Object.keys(factories));
      for (const [name, create] of Object.entries(factories)) {
        const known = (listed[name] ?? []).join(', ');
        const refused = () => create({ '?': true } as never);
        expect(refused).to.throw(TypeError, `${name}: unknown option "?". Known options: ${known}.`);
      }
    });
  });
}
