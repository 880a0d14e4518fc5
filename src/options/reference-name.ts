import type { OptionParser } from './parse-options.js';

/** The default name of the request field that carries the merchant reference (docs/interface.md 1). */
export const REFERENCE_FIELD = 'refercence_cl';

export const parseReferenceName: OptionParser<string> = (where, value = REFERENCE_FIELD) => {
  // The check would find `id` in each row, and `length` in each array.
  if (typeof value === 'string' && /^(?!i_*d_*$)[a-z]\w*$/i.test(value) && !(value in Array.prototype)) return value;
  throw new TypeError(
    `${where} must be a word such as "merchantId", and not "id" or a member of each array or object.`,
  );
};
