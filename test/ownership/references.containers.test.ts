import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { AuthError } from '../../src/index.js';
import { checkReferencesIn } from '../../src/ownership/references.js';

const OWN = 'BTQ-1001';
const FOREIGN = 'CNT-1002';
const FIELD = 'refercence_cl';

/** Every container that the check looks into. */
type Container =
  | 'a plain object'
  | 'an object without a prototype'
  | 'a plain prototype'
  | 'an instance of a class'
  | 'a getter of a class'
  | 'an element of an array'
  | 'a named member of an array'
  | 'a value of a Map'
  | 'a key of a Map'
  | 'a value of a Map of another realm'
  | 'an own property of a Map'
  | 'an element of a Set'
  | 'an element of a Set of another realm'
  | 'an own property of a Set'
  | 'a member of a URLSearchParams'
  | 'a member of a FormData'
  | 'a member of a Headers'
  | 'an alias'
  | 'a cycle';

/** Makes a container with a reference, or without one, and with other values. */
type Make = (reference: string | undefined, inner: readonly unknown[]) => object;

function plain(reference: string | undefined, inner: readonly unknown[]): Record<string, unknown> {
  return { ...(reference !== undefined && { [FIELD]: reference }), payments: inner };
}

/** A missing member does not compile. */
const MAKE: Readonly<Record<Container, Make>> = {
  'a plain object': plain,
  'an object without a prototype': (reference, inner) =>
    Object.assign(Object.create(null) as object, plain(reference, inner)),
  'a plain prototype': (reference, inner) => Object.create(plain(reference, inner)) as object,
  'an instance of a class': (reference, inner) => {
    class Payment {
      readonly payments = inner;
    }
    return Object.assign(new Payment(), plain(reference, inner));
  },
  'a getter of a class': (reference, inner) => {
    class Payment {
      readonly payments = inner;
      get refercence_cl() {
        return reference;
      }
    }
    return new Payment();
  },
  'an element of an array': (reference, inner) => [7, plain(reference, []), null, ...inner],
  'a named member of an array': (reference, inner) => Object.assign(['1'], plain(reference, inner)),
  'a value of a Map': (reference, inner) => {
    const map = new Map<unknown, unknown>([[7, inner]]);
    return reference === undefined ? map : map.set(FIELD, reference);
  },
  'a key of a Map': (reference, inner) => new Map([[plain(reference, inner), 7]]),
  'a value of a Map of another realm': (reference, inner) => {
    const map = runInNewContext('new Map()') as Map<unknown, unknown>;
    map.set(7, inner);
    return reference === undefined ? map : map.set(FIELD, reference);
  },
  'an own property of a Map': (reference, inner) => Object.assign(new Map([['a', 1]]), plain(reference, inner)),
  'an element of a Set': (reference, inner) => new Set([plain(reference, []), ...inner]),
  'an element of a Set of another realm': (reference, inner) => {
    const set = runInNewContext('new Set()') as Set<unknown>;
    return set.add(plain(reference, inner));
  },
  'an own property of a Set': (reference, inner) => Object.assign(new Set(['a']), plain(reference, inner)),
  'a member of a URLSearchParams': (reference, inner) => {
    const pairs = new URLSearchParams('a=1');
    if (reference !== undefined) pairs.append(FIELD, reference);
    return Object.assign(pairs, { payments: inner });
  },
  'a member of a FormData': (reference, inner) => {
    const form = new FormData();
    form.append('file', new Blob(['x']));
    if (reference !== undefined) form.append(FIELD, reference);
    return Object.assign(form, { payments: inner });
  },
  'a member of a Headers': (reference, inner) => {
    const headers = new Headers({ a: '1' });
    if (reference !== undefined) headers.append(FIELD, reference);
    return Object.assign(headers, { payments: inner });
  },
  'an alias': (reference, inner) => {
    const shared = plain(reference, inner);
    return { first: shared, second: [shared, inner], third: shared };
  },
  'a cycle': (reference, inner) => {
    const value = plain(reference, inner);
    return Object.assign(value, { self: value, list: [[value]] });
  },
};

const CONTAINERS = Object.keys(MAKE) as Container[];

/** Returns the code that a body is refused with; `undefined` when it passes. */
function found(body: unknown): string | undefined {
  try {
    checkReferencesIn(body, OWN);
    return undefined;
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    return error.code;
  }
}

describe('checkReferencesIn, over every container', () => {
  for (const container of CONTAINERS) {
    it(`sees a reference in ${container}, even inside each of the others`, () => {
      const make = MAKE[container];
      expect(found(make(FOREIGN, []))).to.equal('foreign_reference');
      expect(found(make(OWN, []))).to.equal(undefined);
      expect(found(make(undefined, []))).to.equal(undefined);
      for (const outer of CONTAINERS) {
        expect(found(MAKE[outer](undefined, [make(FOREIGN, [])])), outer).to.equal('foreign_reference');
        expect(found(MAKE[outer](OWN, [make(OWN, []), make(undefined, [])])), outer).to.equal(undefined);
      }
    });
  }
});
