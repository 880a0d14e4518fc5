import { expect } from 'chai';
import { PrivateField } from '../../src/ownership/private-field.js';

describe('PrivateField', () => {
  it('keeps a value for each object, and replaces it', () => {
    const [one, other] = [{}, {}];
    expect(PrivateField.get(one)).to.equal(undefined);
    PrivateField.set(one, 1);
    expect(PrivateField.get(other)).to.equal(undefined);
    PrivateField.set(other, 2);
    PrivateField.set(one, 3);
    expect([PrivateField.get(one), PrivateField.get(other)]).to.deep.equal([3, 2]);
  });

  it('changes no property and no prototype of the object', () => {
    const object: object = Object.assign(Object.create({ inherited: true }) as object, { url: '/' });
    const before = [Reflect.ownKeys(object), Object.getPrototypeOf(object)];
    PrivateField.set(object, 'secret');
    expect([Reflect.ownKeys(object), Object.getPrototypeOf(object)]).to.deep.equal(before);
  });

  it('has no value for a copy, a proxy or an heir of the object, and for a value that is not an object', () => {
    const object = {};
    PrivateField.set(object, 'secret');
    const others = [
      Object.create(object),
      { ...object },
      new Proxy(object, {}),
      undefined,
      null,
      5,
      'req',
      Symbol('req'),
    ];
    for (const other of others) expect(PrivateField.get(other)).to.equal(undefined);
  });
});
