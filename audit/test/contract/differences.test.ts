import { expect } from 'chai';
import { accountIn, compareRows, isEmptyList, membersOfOwner, objectWith } from '../../src/contract/differences.js';

const answerOf = (json: unknown) => ({ status: 200, json, text: JSON.stringify(json) });

describe('membersOfOwner', () => {
  it('returns the members that are equal in the rows of a merchant and differ from those of the other, with its value', () => {
    const rowOf = (id: number, accountId: number) =>
      answerOf({ data: { id, accountId, note: 'a', owner: { code: `M-${accountId}` } } });
    expect(membersOfOwner([rowOf(1, 501), rowOf(2, 501)], [rowOf(3, 502), rowOf(4, 502)])).to.deep.equal([
      { data: { accountId: 502 } },
      { accountId: 502 },
      { data: { owner: { code: 'M-502' } } },
      { owner: { code: 'M-502' } },
      { code: 'M-502' },
    ]);
    expect(membersOfOwner([answerOf(undefined)], [rowOf(3, 502)])).to.deep.equal([]);
  });
});

describe('accountIn', () => {
  const account = { id: '7', email: 'awa@boutique.example', referencl: 'A1' };
  const told = (json: unknown, change = {}) =>
    accountIn({ status: 200, json, text: JSON.stringify(json) }, { ...account, ...change });

  it('finds a short reference beside the id, in one object', () => {
    expect(told({ users: [{ id: 7, code: 'A1' }] })).to.equal('id and the reference');
    expect(told([{ mail: account.email }])).to.equal('email');
  });

  it('is undefined for a reference beside no id, or in another object, and for a number', () => {
    for (const json of [{ shop: 'A1' }, [{ id: 7 }, { shop: 'A1' }], { id: 7, text: 'A1 and others' }, null]) {
      expect(told(json), JSON.stringify(json)).to.equal(undefined);
    }
    expect(told({ shop: 'A1', orders: 7 })).to.equal(undefined);
    expect(told({ id: 7, total: 12 }, { referencl: '12' })).to.equal(undefined);
    expect(told({ id: '7' }, { referencl: '7' })).to.equal(undefined);
  });
});

describe('compareRows', () => {
  it('takes a time that grows with the rows, and not with their square', () => {
    const rows = Array.from({ length: 40_000 }, (_, id) => ({ id }));
    const [before, after] = [answerOf(rows), answerOf([{ id: -1 }, ...rows].reverse())];
    const start = performance.now();
    const { added, isSame } = compareRows(after, [before, before]);
    expect(performance.now() - start).to.be.below(3_000);
    expect({ added: added.join(), isSame }).to.deep.equal({ added: '#.id -1\n', isSame: false });
  });

  it('is the same for rows in another order, and not for fewer', () => {
    const rows = (...ids: number[]) => answerOf(ids.map((id) => ({ id })));
    const earlier = [rows(2, 1), rows(2, 1)] as const;
    expect(compareRows(rows(1, 2), earlier)).to.deep.equal({ added: [], isSame: true });
    expect(compareRows(rows(1), earlier)).to.deep.equal({ added: [], isSame: false });
  });
});

describe('objectWith', () => {
  it('returns the row that has most of the values', () => {
    const list = { rows: [{ id: 7, number: 'A1' }, { id: '8', number: 'A1' }, { id: 9 }] };
    expect(objectWith(list, [8, 'A1'])).to.deep.equal({ id: '8', number: 'A1' });
    expect(objectWith(list, [10])).to.equal(undefined);
    expect(objectWith('8', [8])).to.equal(undefined);
  });
});

describe('isEmptyList', () => {
  it('is true for JSON with arrays that are all empty', () => {
    for (const json of [[], { data: [] }, { page: { rows: [] }, total: 0 }]) expect(isEmptyList(json)).to.equal(true);
    for (const json of [
      {},
      { total: 0 },
      null,
      'text',
      [1],
      { data: [{}], tags: [] },
      { data: { rows: [1] }, tags: [] },
    ]) {
      expect(isEmptyList(json), JSON.stringify(json)).to.equal(false);
    }
  });
});
