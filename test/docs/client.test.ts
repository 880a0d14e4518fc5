import { expect } from 'chai';
import { declaredMembers, listedMembers } from '../helpers/members.js';
import { readPage } from '../helpers/snippets.js';

const PAGE = 'client/README.md';
const TYPES = ['MerchantClientOptions', 'TokenCache', 'CachedToken'];

it(`${PAGE} lists the members of the options and of their types, and no others`, () => {
  const sections = readPage(PAGE).split(/^#{2,3} /m);
  const lists = sections.filter((section) => section.includes('\n- **`'));
  const listed = lists.map((section) => [section.split('\n', 1)[0], listedMembers(section)]);
  const declared = declaredMembers('client/src/index.ts', ...TYPES).map((members, index) => {
    const isOfOptions = index === 0;
    const items = members.map(({ name, type, isOptional }) => {
      const mark = isOfOptions ? !isOptional && 'required' : isOptional && 'optional';
      return { name, owners: [], type, mark: mark || '' };
    });
    return [isOfOptions ? 'createMerchantClient' : TYPES[index], items];
  });
  expect(listed).to.deep.equal(declared);
});
