import { isDeepStrictEqual } from 'node:util';
import { leaveOutUnless } from '../contract-case.js';
import { demand, show } from '../messages.js';
import { merchant } from '../merchants.js';
import { accountsByMethod, type StoreCases } from '../trial.js';

/** An empty list allows no address, and no list allows any. */
const LISTS = [['203.0.113.7', '2001:db8::/48'], [], null];

const showList = (value: unknown) => (Array.isArray(value) ? `[${value.map(show).join(', ')}]` : show(value));

export const allowedSourcesCases: StoreCases = {
  'allowedSources comes back as stored, from every method': async (trial) => {
    const accounts = LISTS.map((allowedSources, index) => merchant(index + 1, { allowedSources }));
    const found: [call: string, stored: unknown, returned: unknown][] = [];
    for (const seeded of await trial.seed(accounts)) {
      for (const [call, account] of await accountsByMethod(trial, seeded)) {
        found.push([call, seeded.allowedSources, account.allowedSources ?? null]);
      }
    }
    leaveOutUnless(
      found.some(([, , returned]) => returned !== null),
      'No list came back: the store does not return allowedSources, or seed did not insert it.',
    );
    for (const [call, stored, returned] of found) {
      demand(
        isDeepStrictEqual(returned, stored),
        `${call} returned ${showList(returned)} as allowedSources, where ${showList(stored)} is stored. Return the array of ` +
          'one column from every method, and keep an empty list: null allows any address, and [] allows none.',
      );
    }
  },
};
