import type { IncomingMessage, ServerResponse } from 'node:http';

const MAKES_A_CLASS_FOR_EACH_PROPERTY = Number.parseInt(process.versions.v8, 10) < 13;

/**
 * Makes V8 keep the properties of both objects in hash tables (dictionary mode): it removes one and adds it again,
 * which takes 5 microseconds and saves 50. Express changes the prototypes, and V8 before 13 (Node.js 20 to 23) then
 * makes a hidden class for each new property. This file can go when Node.js 22 is at its end of life, on 2027-04-30.
 */
export function useDictionaryMode(req: IncomingMessage, res: ServerResponse): void {
  if (!MAKES_A_CLASS_FOR_EACH_PROPERTY) return;
  addAgain(req, 'res', res);
  addAgain(res, 'req', req);
}

/** Only if the property is as Express sets it: own, plain and with this value. */
function addAgain(object: object, key: 'req' | 'res', value: object): void {
  const property = Object.getOwnPropertyDescriptor(object, key);
  if (property?.value !== value || !property.configurable || !Object.isExtensible(object)) return;
  Reflect.deleteProperty(object, key);
  Object.defineProperty(object, key, property);
}
