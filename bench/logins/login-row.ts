import path from 'node:path';
import { accountOf, generateKey, MERCHANTS } from '../guards/keys.js';
import { prepareRequests, sideOf } from '../guards/sides.js';
import { postBytes, type Prepared } from '../harness/connections.js';
import { BARE, measure, type Side } from '../harness/measure.js';
import type { Row } from '../harness/report.js';
import type { Setup } from './server.js';

const LOGIN = 'login';
const HASH = 'hash library alone';
const LABEL = '8 callers';

/** The servers use all cores, because hashes have threads. */
function loginSide(setup: Setup, end: string): Side {
  const program = { file: path.join(__dirname, 'server.js'), setup };
  // Each request has another account, because identical logins in progress share one hash.
  const requests = Array.from({ length: MERCHANTS }, (_, number): Prepared => {
    const bytes = postBytes('/v1/login', { email: accountOf(number + 1).email, password: setup.password });
    return { bytes, status: 200, end };
  });
  return { program, requests };
}

/** Measures logins beside the hash library alone. */
export const logins: Row = {
  reference: LOGIN,
  targets: { [LABEL]: { [HASH]: 0.95 } },
  async measure(run) {
    const key = generateKey('HS256');
    const password = 'baobab-and-calebasse';
    const comparison = {
      bare: sideOf({ guard: BARE, key }, prepareRequests(key, 1)),
      sides: {
        [LOGIN]: loginSide({ password }, '"type":"bearer"}}'),
        [HASH]: loginSide({ password, isHashAlone: true }, '{}'),
      },
      connections: 8,
      ms: 1_000,
    };
    return { [LABEL]: await measure(comparison, run) };
  },
};
