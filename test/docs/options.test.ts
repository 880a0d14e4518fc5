import { expect } from 'chai';
import { createMerchantClient } from '../../src/client/index.js';
import * as auth from '../../src/index.js';
import { openApi } from '../../src/openapi/index.js';
import { readPage } from '../helpers/snippets.js';

const PAGE = 'docs/options.md';

/** Calls each factory with options that it does not know. */
const FACTORIES: Readonly<Record<string, (options: never) => unknown>> = {
  createLogin: (options) => auth.createLogin(new auth.InMemoryUserStore(), options),
  createLoginRouter: (options) => auth.createLoginRouter(new auth.InMemoryUserStore(), options),
  requireBearer: auth.requireBearer,
  requireOwnReference: auth.requireOwnReference,
  authErrorHandler: auth.authErrorHandler,
  createTokens: auth.createTokens,
  createPasswords: auth.createPasswords,
  createLoginThrottle: auth.createLoginThrottle,
  createCachedUserStore: (options) => auth.createCachedUserStore(new auth.InMemoryUserStore(), options),
  createMerchantClient,
  openApi,
};

/** The items of each section of the page, by the name of the factory. */
function listedOptions(): Record<string, string[]> {
  const [, block = ''] = /<!-- options -->([\s\S]*)^## Types$/m.exec(readPage(PAGE)) ?? [];
  const listed: Record<string, string[]> = {};
  for (const section of block.split(/^## /m).slice(1)) {
    const [factory = ''] = section.split('\n', 1);
    const [, other = ''] = /^All options of \[(\w+)\]/m.exec(section) ?? [];
    const own = [...section.matchAll(/^- \*\*`(\w+)`\*\*/gm)].map(([, option = '']) => option);
    listed[factory] = [...(listed[other] ?? []), ...own];
  }
  return listed;
}

describe(PAGE, () => {
  it('lists every option of every factory, and none that does not exist', () => {
    const listed = listedOptions();
    expect(Object.keys(listed)).to.deep.equal(Object.keys(FACTORIES));
    for (const [name, create] of Object.entries(FACTORIES)) {
      const known = (listed[name] ?? []).join(', ');
      const refused = () => create({ '?': true } as never);
      expect(refused).to.throw(TypeError, `${name}: unknown option "?". Known options: ${known}.`);
    }
  });

  it('explains every option', () => {
    const [, block = ''] = /<!-- options -->([\s\S]*)^## Types$/m.exec(readPage(PAGE)) ?? [];
    const items = block.match(/^- \*\*`\w+`\*\*.*\n.*/gm) ?? [];
    expect(items).to.have.length.above(0);
    for (const item of items) expect(item).to.match(/\\\n {2}\S/);
  });

  it('links to every factory before the options', () => {
    const [head = ''] = readPage(PAGE).split('<!-- options -->');
    for (const name of Object.keys(FACTORIES)) expect(head).to.include(`[${name}](#${name.toLowerCase()})`);
  });
});
