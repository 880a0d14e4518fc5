import { expect } from 'chai';
import { PrivateField } from '../../src/ownership/private-field.js';

describe('PrivateField', () => {
  it('keeps a value for an object, and replaces it', () => {
    const object = { url: '/' };
    expect(PrivateField.get(object)).to.equal(undefined);
    const value = { id: '1' };
    PrivateField.set(object, value);
    expect(PrivateField.get(object)).to.equal(value);
    PrivateField.set(object, 'another');
    expect(PrivateField.get(object)).to.equal('another');
  });

  it('keeps the values of two objects apart', () => {
    const [one, other] = [{}, {}];
    PrivateField.set(one, 1);
    expect(PrivateField.get(other)).to.equal(undefined);
    PrivateField.set(other, 2);
    expect([PrivateField.get(one), PrivateField.get(other)]).to.deep.equal([1, 2]);
  });

  it('changes no property and no prototype of the object', () => {
    const object: object = Object.assign(Object.create({ inherited: true }) as object, { url: '/' });
    const before = [Reflect.ownKeys(object), Object.getPrototypeOf(object)];
    PrivateField.set(object, 'secret');
    expect([Reflect.ownKeys(object), Object.getPrototypeOf(object)]).to.deep.equal(before);
    expect(object).not.to.be.instanceOf(PrivateField);
    expect(JSON.stringify(object)).to.equal('{"url":"/"}');
  });

  it('has no value for a copy or a proxy of the object, or an object that inherits from it', () => {
    const object = {};
    PrivateField.set(object, 'secret');
    for (const other of [Object.create(object) as object, { ...object }, Object.assign({}, object)]) {
      expect(PrivateField.get(other)).to.equal(undefined);
    }
    expect(PrivateField.get(new Proxy(object, {}))).to.equal(undefined);
  });

  it('returns undefined for a value that is not an object', () => {
    for (const value of [undefined, null, 5, 'req', Symbol('req')]) {
      expect(PrivateField.get(value)).to.equal(undefined);
    }
  });
});
