import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { AuthError } from '../../src/index.js';
import {
  checkReference,
  checkReferencesIn,
  checkReferencesInJson,
  checkReferencesInUrl,
  hasField,
} from '../../src/ownership/references.js';
import { FOREIGN_REFERENCE, INVALID_REFERENCE, UNREADABLE_BODY } from '../helpers/answers.js';
import { thrownBy } from '../helpers/thrown.js';
import { codeOf, guardedBy } from './guarded.js';

const OWN = 'BTQ-1001';
const GUARDED = guardedBy(OWN);

/** Returns the code that a place is refused with; `undefined` when every reference in it is the caller's own. */
const found = (place: unknown) => codeOf(() => checkReferencesIn(place, GUARDED));

/** `{"a":{"a":...}}` or `[[...]]` with `core` at the bottom. */
function nest(depth: number, core: unknown, wrap: (inner: unknown) => unknown): unknown {
  let value = core;
  for (let i = 0; i < depth; i += 1) value = wrap(value);
  return value;
}

describe('checkReference', () => {
  it('accepts exactly the own reference', () => {
    expect(codeOf(() => checkReference(OWN, GUARDED, []))).to.equal(undefined);
    for (const other of ['CNT-1002', '', 'btq-1001', ' BTQ-1001', 'BTQ-1001 ', 'BTQ-1001\0', 'ＢＴＱ-1001']) {
      const code = codeOf(() => checkReference(other, GUARDED, []));
      expect(code, other).to.equal(FOREIGN_REFERENCE);
    }
  });

  it('refuses a value that is not a string, even one that converts to the reference', () => {
    for (const value of [null, 0, 1001, true, [OWN], { toString: () => OWN }, new String(OWN)]) {
      expect(codeOf(() => checkReference(value, GUARDED, []))).to.equal(INVALID_REFERENCE);
    }
  });

  it('keeps the value of the caller out of its error', () => {
    for (const value of ['CNT-1002', ['CNT-1002']]) {
      const error = thrownBy(() => checkReference(value, GUARDED, ['refercence_cl']));
      expect(inspect(error, { depth: Infinity, showHidden: true })).not.to.contain('CNT-1002');
    }
  });
});

describe('checkReference, of a guard with referenceNames', () => {
  it('takes a safe integer as its decimal text, and no other value', () => {
    const check = (value: unknown) => codeOf(() => checkReference(value, guardedBy('501', ['merchantId']), []));
    for (const value of ['501', 501]) expect(check(value)).to.equal(undefined);
    expect(check(502)).to.equal(FOREIGN_REFERENCE);
    for (const value of [501.5, 2 ** 53, null, true, [501], { $ne: 501 }]) {
      expect(check(value)).to.equal(INVALID_REFERENCE);
    }
  });
});

describe('checkReferencesIn', () => {
  it('finds a reference behind an enumerable getter of a prototype, as mongoose gives each document', () => {
    const prototype = Object.create(Object.prototype, {
      constructor: { value: Map },
      payment: { enumerable: true, get: () => ({ refercence_cl: 'CNT-1002' }) },
    }) as object;
    expect(found(Object.assign(Object.create(prototype), { amount: 5 }))).to.equal(FOREIGN_REFERENCE);
  });

  it('checks each name of a guard with several', () => {
    const guarded = guardedBy(OWN, ['merchantId', 'wallet_id']);
    for (const name of ['merchantId', 'wallet_id']) {
      const check = (value: unknown) => codeOf(() => checkReferencesIn({ a: { [name]: value } }, guarded));
      expect([check(OWN), check('CNT-1002')], name).to.deep.equal([undefined, FOREIGN_REFERENCE]);
    }
  });

  it('accepts places without a reference', () => {
    const places = [undefined, null, 0, 'refercence_cl', [], {}, { reference_cl: 'CNT-1002' }, { a: ['CNT-1002'] }];
    for (const place of places) expect(found(place)).to.equal(undefined);
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
      expect(found(JSON.parse(place.replace('#', 'CNT-1002'))), place).to.equal(FOREIGN_REFERENCE);
      expect(found(JSON.parse(place.replace('"#"', '["BTQ-1001"]'))), place).to.equal(INVALID_REFERENCE);
      expect(found(JSON.parse(place.replace('"#"', '{"$ne":null}'))), place).to.equal(INVALID_REFERENCE);
    }
  });

  it('refuses a key that some consumers read as the name, with any value', () => {
    for (const value of [OWN, 7, [OWN]]) {
      expect(found({ a: [{ 'refercence-cl': value }] })).to.equal(INVALID_REFERENCE);
    }
  });

  it('looks at instances of classes, objects without a prototype and those of another realm', () => {
    const members = (reference: string) => ({ payments: [{ refercence_cl: reference }] });
    class Payment {
      readonly amount = 1;
    }
    class WithGetter {
      readonly amount = 1;
      get refercence_cl() {
        return ['CNT', this.amount].join('-');
      }
    }
    const targets = [new Payment(), Object.create(null) as object, runInNewContext('({})') as object];
    for (const target of targets) {
      expect(found([Object.assign(target, members(OWN))])).to.equal(undefined);
      expect(found([Object.assign(target, members('CNT-1002'))])).to.equal(FOREIGN_REFERENCE);
    }
    expect(found({ a: new WithGetter() })).to.equal(FOREIGN_REFERENCE);
  });

  it('looks at named members of arrays, and at members that no loop shows', () => {
    // express-fileupload leaves such arrays.
    expect(found({ payment: Object.assign(['1'], { refercence_cl: 'CNT-1002' }) })).to.equal(FOREIGN_REFERENCE);
    expect(found({ payment: Object.assign(['1'], { 'refercence_cl[]': OWN }) })).to.equal(INVALID_REFERENCE);
    expect(found(Object.defineProperty({}, 'refercence_cl', { value: 'CNT-1002' }))).to.equal(FOREIGN_REFERENCE);
  });

  it('treats an undefined member as absent', () => {
    expect(found({ refercence_cl: undefined })).to.equal(undefined);
    expect(hasField({ refercence_cl: undefined }, ['refercence_cl'])).to.equal(false);
  });

  it('reaches the bottom of 50,000 levels', () => {
    const wraps = [(inner: unknown) => ({ a: inner }), (inner: unknown) => [inner]];
    for (const wrap of wraps) {
      expect(found(nest(50_000, { refercence_cl: 'CNT-1002' }, wrap))).to.equal(FOREIGN_REFERENCE);
      expect(found(nest(50_000, { refercence_cl: OWN }, wrap))).to.equal(undefined);
    }
  });

  it('visits an alias once, so that shared levels do not double the work', () => {
    let visits = 0;
    const leaf = Object.defineProperty({}, 'refercence_cl', { enumerable: true, get: () => ((visits += 1), OWN) });
    let value: unknown = leaf;
    for (let i = 0; i < 40; i += 1) value = [value, value];
    expect(found(value)).to.equal(undefined);
    expect(visits).to.equal(1);
  });

  it('visits the outermost object once, even when it has itself as a member', () => {
    let visits = 0;
    const body = Object.defineProperty({}, 'refercence_cl', { get: () => ((visits += 1), OWN) });
    expect(found(Object.assign(body, { self: body, list: [body] }))).to.equal(undefined);
    expect(visits).to.equal(1);
  });

  it('skips the elements of typed arrays', () => {
    const bytes = Object.assign(new Uint8Array(4), { refercence_cl: 'CNT-1002' });
    expect(found({ file: bytes, view: new DataView(new ArrayBuffer(8)), buffer: Buffer.from('x') })).to.equal(
      undefined,
    );
  });

  it('refuses an object that does not show its members, at the root and below, without its name', () => {
    const copy = Object.assign({}, JSON.parse('{"__proto__":{"constructor":{"name":"secret"}}}')) as object;
    for (const value of [new Map(), new URLSearchParams('a=1'), Readable.from(['a']), copy]) {
      for (const place of [value, { a: value }, [value]]) {
        expect(found(place), Object.prototype.toString.call(value)).to.equal(UNREADABLE_BODY);
      }
    }
    expect(() => checkReferencesIn({ a: copy }, GUARDED))
      .to.throw(AuthError)
      .with.property(
        'detail',
        'An object in the request does not show its members, for example a Map or a stream. Convert it before the guard.',
      );
  });

  it('accepts values that hold no members: dates, functions and files, even of another realm', () => {
    const others = runInNewContext('[{}, [], new Date(0)]') as unknown[];
    for (const value of [new Date(0), () => 'a', new Blob(['a']), new File(['a'], 'a'), ...others]) {
      expect(found({ a: [value] }), Object.prototype.toString.call(value)).to.equal(undefined);
    }
  });
});

describe('checkReferencesIn, with an operation of a JSON Patch', () => {
  const patch = (op: string, path: string, rest: object = { value: OWN }) => found([{ op, path, ...rest }]);

  it('takes the own reference as the value that add, replace and test name, at any depth', () => {
    for (const path of [
      '/refercence_cl',
      '/a/0/refercence_cl',
      '/refercence_cl/-',
      'payment.refercence_cl',
      'urn:pay:refercence_cl',
    ]) {
      for (const op of ['add', 'replace', 'test', 'Replace']) {
        expect(patch(op, path), path).to.equal(undefined);
        expect(patch(op, path, { value: 'CNT-1002' }), path).to.equal(FOREIGN_REFERENCE);
        expect(patch(op, path, { value: [OWN] }), path).to.equal(INVALID_REFERENCE);
        expect(found({ Operations: [{ op, path, value: 'CNT-1002' }] }), path).to.equal(FOREIGN_REFERENCE);
      }
    }
    expect(found([{ path: '/refercence_cl', value: 'CNT-1002' }])).to.equal(FOREIGN_REFERENCE);
  });

  it('refuses an operation that names the reference and has no value, even when one is sent', () => {
    for (const op of ['copy', 'move', 'remove', ['copy'], ['replace'], null, { toString: 1 }]) {
      expect(found([{ op, from: '/note', path: '/refercence_cl', value: OWN }])).to.equal(INVALID_REFERENCE);
      expect(found([{ op, from: '/a/refercence_cl', path: '/note', value: OWN }])).to.equal(INVALID_REFERENCE);
    }
    expect(patch('replace', '/refercence_cl', {})).to.equal(INVALID_REFERENCE);
  });

  it('decodes ~0 and ~1, finds other spellings, and reads a list of segments', () => {
    const lists = [['refercence_cl'], ['payments', 0, 'refercence_cl']];
    for (const path of ['/Refercence_CL', '/refercence~0_cl', '/refercence~1cl', '/a~1refercence-cl', ...lists]) {
      expect(found([{ op: 'replace', path, value: 'CNT-1002' }]), String(path)).to.equal(FOREIGN_REFERENCE);
    }
  });

  it('accepts other paths, and members named path, from and op that are no JSON Patch', () => {
    for (const path of ['', '/', '/note', '/refercence_client', '/~', '/~2', ['note'], [], 7]) {
      expect(found([{ op: 'replace', path, value: 'CNT-1002' }]), String(path)).to.equal(undefined);
    }
    const name = 'refercence_cl';
    for (const body of [
      { from: name, path: name, value: 'CNT-1002' },
      { path: `/docs/${name}` },
      { path: `/${name}/logo.png`, value: 'x' },
      { op: 'transfer', from: name, to: 'customer' },
      { op: 'refund', path: `/${name}/refunds` },
      { filters: [{ op: 'eq', path: name, value: OWN }] },
    ]) {
      expect(found(body), JSON.stringify(body)).to.equal(undefined);
    }
  });
});

describe('checkReferencesInJson', () => {
  const inJson = (text: string) => codeOf(() => checkReferencesInJson(text, GUARDED));

  it('checks a value of the query that is JSON as a body', () => {
    const values = [
      '{"refercence_cl":"#"}',
      ' \n{"0":{"json":{"refercence_cl":"#"}}}',
      '\ufeff[[{"refercence_cl":"#"}]]',
    ];
    for (const value of [...values, '{"\\u0072efercence_cl":"#"}', '{"where":{"a":[{"refercence_cl":"#"}]}} ']) {
      expect(inJson(value.replace('#', OWN)), value).to.equal(undefined);
      expect(inJson(value.replace('#', 'CNT-1002')), value).to.equal(FOREIGN_REFERENCE);
      expect(inJson(value.replace('"#"', '{"$ne":null}')), value).to.equal(INVALID_REFERENCE);
    }
    expect(inJson(`{"refercence_cl":"${OWN}","refercence_cl":"${OWN}"}`)).to.equal(INVALID_REFERENCE);
    expect(inJson(`{"RefercenceCl":"${OWN}"}`)).to.equal(INVALID_REFERENCE);
  });

  it('leaves text that does not parse, and text without a name', () => {
    for (const value of ['{refercence_cl:"CNT-1002"}', '[refercence_cl', '{"a":"CNT-1002"}', '"refercence_cl"', '']) {
      expect(inJson(value), value).to.equal(undefined);
    }
  });
});

describe('checkReferencesInUrl', () => {
  const inUrl = (url: string) => codeOf(() => checkReferencesInUrl(url, GUARDED));

  it('accepts a URL without a query, and a query without the reference', () => {
    const paths = ['', '/', '/refercence_cl=CNT-1002'];
    for (const url of [...paths, '/?', '/?a=refercence_cl', '/?reference_cl=CNT-1002', '/?%', '/?&&=']) {
      expect(inUrl(url), url).to.equal(undefined);
    }
  });

  it('looks at every member, including those beyond the limit of a parser, and at every copy', () => {
    for (const before of [
      '',
      'a=1&',
      'a=1;',
      '&'.repeat(1_000),
      'a&'.repeat(5_000),
      'refercence_cl=BTQ-1001&',
      'a=?&',
    ]) {
      expect(inUrl(`/?${before}refercence_cl=CNT-1002`)).to.equal(FOREIGN_REFERENCE);
      expect(inUrl(`/?${before}refercence_cl=BTQ-1001&x`)).to.equal(undefined);
      expect(inUrl(`/?${before}refercence_cl`)).to.equal(FOREIGN_REFERENCE);
    }
  });

  it('ends a name at "]=" too, as qs does', () => {
    for (const url of [
      '/?a=b[refercence_cl]=CNT-1002',
      '/?where[or=][refercence_cl]=',
      '/?%5B=%5Brefercence_cl%5D=x]=',
    ]) {
      expect(inUrl(url), url).to.equal(INVALID_REFERENCE);
    }
    expect(inUrl('/?a=b[reference]=refercence_cl]&b=refercence_cl]')).to.equal(undefined);
  });

  it('decodes names and values', () => {
    expect(inUrl('/?%72efercence%5Fcl=CNT-1002')).to.equal(FOREIGN_REFERENCE);
    expect(inUrl('/???refercence_cl=CNT-1002')).to.equal(FOREIGN_REFERENCE);
    expect(inUrl('/?refercence_cl=%42TQ-1001')).to.equal(undefined);
    expect(inUrl('/?refercence_cl=BTQ-1001%20')).to.equal(FOREIGN_REFERENCE);
    // A percent-encoded `;` separates nothing.
    expect(inUrl('/?refercence_cl=BTQ-1001%3Ba')).to.equal(FOREIGN_REFERENCE);
    expect(inUrl('/?refercence_cl=BTQ-1001;a')).to.equal(FOREIGN_REFERENCE);
  });

  it('checks JSON in values, encoded or not', () => {
    for (const encode of [String, encodeURIComponent]) {
      const inVariables = (reference: string) => inUrl(`/?variables=${encode(` [{"refercence_cl":"${reference}"}]`)}`);
      expect(inVariables(OWN)).to.equal(undefined);
      expect(inVariables('CNT-1002')).to.equal(FOREIGN_REFERENCE);
      expect(inVariables('CNT;1002')).to.equal(FOREIGN_REFERENCE);
    }
    expect(inUrl('/?a={"\\u0072efercence_cl":"CNT-1002"}')).to.equal(FOREIGN_REFERENCE);
  });

  it('refuses names that some consumers read as the name, and those after a semicolon', () => {
    const names = [
      'refercence_cl[]',
      'payment%5Brefercence_cl%5D',
      'refercence+cl',
      'refercence%20cl',
      'r%C3%A9fercence_cl',
    ];
    for (const name of [...names, 'refercence_cl%00', 'a=1;t.REFERCENCE_CL']) {
      expect(inUrl(`/?${name}=BTQ-1001`), name).to.equal(INVALID_REFERENCE);
    }
  });
});

describe('hasField', () => {
  it('returns true for a member, even an inherited one; in an array, for one in each element', () => {
    expect(hasField({ refercence_cl: null }, ['refercence_cl'])).to.equal(true);
    expect(hasField([{ refercence_cl: 1 }, { refercence_cl: 2 }], ['refercence_cl'])).to.equal(true);
    expect(hasField(Object.create({ refercence_cl: 1 }), ['refercence_cl'])).to.equal(true);
    const field = { refercence_cl: 1 };
    for (const place of [undefined, null, 'refercence_cl', {}, [], [{}], [field, {}], [null], [[field]], { a: field }])
      expect(hasField(place, ['refercence_cl'])).to.equal(false);
  });
});
