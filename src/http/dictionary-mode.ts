import type { IncomingMessage, ServerResponse } from 'node:http';

const MAKES_A_CLASS_FOR_EACH_PROPERTY = Number.parseInt(process.versions.v8, 10) < 13;

/**
 * Makes V8 keep the properties of a request and its response in hash tables (dictionary mode). Express gives both objects
 * another prototype, and V8 before 13 (Node.js 20 to 23) then makes a hidden class for every property that is added. An
 * object that loses a property changes to dictionary mode, so one property is removed and added again: 5 us that save 50.
 * This file can go when Node.js 22 is at its end of life, on 2027-04-30.
 */
export function useDictionaryMode(req: IncomingMessage, res: ServerResponse): void {
  if (!MAKES_A_CLASS_FOR_EACH_PROPERTY) return;
  addAgain(req, 'res', res);
  addAgain(res, 'req', req);
}

/** Does nothing where `key` is not as Express sets it: an own plain property with this value. */
function addAgain(object: object, key: 'req' | 'res', value: object): void {
  const property = Object.getOwnPropertyDescriptor(object, key);
  if (property?.value !== value || !property.configurable || !Object.isExtensible(object)) return;
  Reflect.deleteProperty(object, key);
  Object.defineProperty(object, key, property);
}
