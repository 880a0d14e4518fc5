import { expect } from 'chai';
import { type AuthError } from '../../src/index.js';
import { checkReference, checkReferencesIn, hasField } from '../../src/ownership/references.js';

const OWN = 'BTQ-1001';

function codeOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as AuthError).code;
  }
}

/** Returns the code that a place is refused with; `undefined` when every reference in it is the caller's own. */
const found = (place: unknown) => codeOf(() => checkReferencesIn(place, OWN));

/** `{"a":{"a":...}}` or `[[...]]` with `core` at the bottom. */
function nest(depth: number, core: unknown, wrap: (inner: unknown) => unknown): unknown {
  let value = core;
  for (let i = 0; i < depth; i += 1) value = wrap(value);
  return value;
}

describe('checkReference', () => {
  it('accepts exactly the own reference', () => {
    expect(codeOf(() => checkReference(OWN, OWN))).to.equal(undefined);
    for (const other of ['CNT-1002', '', 'btq-1001', ' BTQ-1001', 'BTQ-1001 ', 'BTQ-1001\0', 'ＢＴＱ-1001']) {
      expect(
        codeOf(() => checkReference(other, OWN)),
        other,
      ).to.equal('foreign_reference');
    }
  });

  it('refuses a value that is not a string, also one that converts to the reference', () => {
    for (const value of [null, 0, 1001, true, [OWN], { toString: () => OWN }, new String(OWN)]) {
      expect(codeOf(() => checkReference(value, OWN))).to.equal('invalid_reference');
    }
  });
});

describe('checkReferencesIn', () => {
  it('accepts places without a reference', () => {
    for (const place of [
      undefined,
      null,
      0,
      '',
      'refercence_cl',
      [],
      {},
      { reference_cl: 'CNT-1002' },
      { a: ['CNT-1002'] },
    ]) {
      expect(found(place)).to.equal(undefined);
    }
  });

  it('looks at every depth: nested objects, arrays, and a member named __proto__', () => {
    const places = [
      '{"refercence_cl":"#"}',
      '{"data":{"attributes":{"refercence_cl":"#"}}}',
      '[{"refercence_cl":"#"}]',
      '[[[{"a":[{"refercence_cl":"#"}]}]]]',
      '{"__proto__":{"refercence_cl":"#"}}',
      '{"a":{"__proto__":{"__proto__":[{"refercence_cl":"#"}]}}}',
      '{"constructor":{"prototype":{"refercence_cl":"#"}}}',
      '{"refercence_cl":"BTQ-1001","copy":{"refercence_cl":"#"}}',
      '[{"refercence_cl":"BTQ-1001"},{"refercence_cl":"#"}]',
    ];
    for (const place of places) {
      expect(found(JSON.parse(place.replace('#', OWN))), place).to.equal(undefined);
      expect(found(JSON.parse(place.replace('#', 'CNT-1002'))), place).to.equal('foreign_reference');
      expect(found(JSON.parse(place.replace('"#"', '["BTQ-1001"]'))), place).to.equal('invalid_reference');
      expect(found(JSON.parse(place.replace('"#"', '{"$ne":null}'))), place).to.equal('invalid_reference');
    }
  });

  it('looks into objects without a prototype, as multer and qs make them', () => {
    const place = Object.assign(Object.create(null) as object, { refercence_cl: 'CNT-1002' });
    expect(found(place)).to.equal('foreign_reference');
  });

  it('refuses keys with a bracket next to the name, with any value', () => {
    for (const key of [
      'refercence_cl[]',
      'refercence_cl[0]',
      'refercence_cl[x][y]',
      'refercence_cl[',
      '[refercence_cl]',
      '[refercence_cl][]',
      'filter[refercence_cl]',
      'a[0][refercence_cl][b]',
      'refercence_cl]',
    ]) {
      expect(found({ [key]: OWN }), key).to.equal('invalid_reference');
      expect(found({ a: [{ [key]: 7 }] }), key).to.equal('invalid_reference');
    }
    for (const key of ['refercence_cl_old', 'my_refercence_cl', 'refercence_cl.x', 'Refercence_cl']) {
      expect(found({ [key]: 'CNT-1002' }), key).to.equal(undefined);
    }
  });

  it('looks into the containers that a parser can make', () => {
    const pairs = [['refercence_cl', 'CNT-1002']] as [string, string][];
    const form = new FormData();
    form.set('refercence_cl', 'CNT-1002');
    const containers = [new Map(pairs), new URLSearchParams(pairs), form, new Set([{ refercence_cl: 'CNT-1002' }])];
    for (const container of containers) {
      expect(found(container)).to.equal('foreign_reference');
      expect(found({ a: [container] })).to.equal('foreign_reference');
    }
    expect(found(new Map<unknown, unknown>([[7, new Map(pairs)]]))).to.equal('foreign_reference');
    expect(found(new URLSearchParams('refercence_cl[]=BTQ-1001'))).to.equal('invalid_reference');
    expect(found(new Map([['refercence_cl', OWN]]))).to.equal(undefined);
  });

  it('treats an undefined member as absent', () => {
    expect(found({ refercence_cl: undefined })).to.equal(undefined);
    expect(hasField({ refercence_cl: undefined }, 'refercence_cl')).to.equal(false);
  });

  it('reaches the bottom of 50,000 levels', () => {
    const wraps = [(inner: unknown) => ({ a: inner }), (inner: unknown) => [inner]];
    for (const wrap of wraps) {
      expect(found(nest(50_000, { refercence_cl: 'CNT-1002' }, wrap))).to.equal('foreign_reference');
      expect(found(nest(50_000, { refercence_cl: OWN }, wrap))).to.equal(undefined);
    }
  });

  it('ends on cycles and aliases, and still sees the references in them', () => {
    const body: Record<string, unknown> = { list: [] };
    body['self'] = body;
    (body['list'] as unknown[]).push(body, body['list']);
    expect(found(body)).to.equal(undefined);
    (body['list'] as unknown[]).push({ up: body, refercence_cl: 'CNT-1002' });
    expect(found(body)).to.equal('foreign_reference');
  });

  it('visits an alias once, so that shared levels do not double the work', () => {
    let visits = 0;
    const leaf = Object.defineProperty({}, 'refercence_cl', { enumerable: true, get: () => ((visits += 1), OWN) });
    let value: unknown = leaf;
    for (let i = 0; i < 40; i += 1) value = [value, value];
    expect(found(value)).to.equal(undefined);
    expect(visits).to.equal(1);
  });

  it('skips the elements of typed arrays', () => {
    const bytes = Object.assign(new Uint8Array(4), { refercence_cl: 'CNT-1002' });
    expect(found({ file: bytes, view: new DataView(new ArrayBuffer(8)), buffer: Buffer.from('x') })).to.equal(
      undefined,
    );
  });
});

describe('hasField', () => {
  it('returns true for an own member; in an array, for one in each element', () => {
    expect(hasField({ refercence_cl: null }, 'refercence_cl')).to.equal(true);
    expect(hasField([{ refercence_cl: 1 }, { refercence_cl: 2 }], 'refercence_cl')).to.equal(true);
    const without = [
      undefined,
      null,
      'refercence_cl',
      {},
      Object.create({ refercence_cl: 1 }),
      [],
      [{}],
      [{ refercence_cl: 1 }, {}],
      [null],
      [[{ refercence_cl: 1 }]],
      { a: { refercence_cl: 1 } },
    ];
    for (const place of without) expect(hasField(place, 'refercence_cl')).to.equal(false);
  });
});
