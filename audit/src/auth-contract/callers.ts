import { callAsync } from '../call-async.js';
import { leaveOutUnless } from '../left-out.js';
import { demand, reasonOf, Violation } from '../messages.js';
import { demandOf, isGood, summaryOf } from './answer.js';
import type { Caller, Resource, TestMerchant } from './host-under-test.js';
import { partsOf } from './token-parts.js';
import type { Visit } from './visit.js';

export type Row = Awaited<ReturnType<Resource['create']>>;

/** A merchant of a run, with all that it has sent and made. */
export interface Asking extends Caller {
  /** `undefined` for the same requests without a token. */
  readonly token: string | undefined;
  /** The id of the account, if the token tells it. */
  readonly id: unknown;
  readonly sent: { readonly method: string; readonly path: string; readonly body: object | undefined }[];
  readonly rows: { readonly resource: Resource; readonly row: Row }[];
}

const LET_CREATE = 'Let create of the resource send what the route accepts, different each time.';

/** Returns the merchant whose rows are asked for, and the one that asks. */
export async function callersOf(visit: Visit): Promise<readonly [Asking, Asking]> {
  const { merchant, otherMerchant, resources } = visit.host;
  leaveOutUnless(resources !== undefined, 'Give resources to test this.');
  leaveOutUnless(otherMerchant !== undefined, 'Give otherMerchant to test this.');
  return [await callerOf(visit, merchant), await callerOf(visit, otherMerchant)];
}

export async function callerOf(visit: Visit, merchant: TestMerchant): Promise<Asking> {
  const token = await visit.tokenOf(merchant);
  const sent: Asking['sent'] = [];
  return {
    ...merchant,
    token,
    id: partsOf(token)[1]['sub'],
    sent,
    rows: [],
    async send(route, body, headers = {}) {
      const [method = '', path = ''] = route.split(' ');
      demand(
        path.startsWith('/'),
        `send takes a method and a path, for example POST /v1/payments, and not "${route}".`,
      );
      const answer = await visit.sendAs(token, method, path, {
        headers,
        ...(body && { body }),
      });
      const problem = `${answer.request} for ${merchant.referencl} got ${summaryOf(answer)}.`;
      demandOf(answer, isGood(answer), problem, LET_CREATE);
      sent.push({ method, path, body });
      return answer.json;
    },
  };
}

export async function createRow(visit: Visit, resource: Resource, caller: Asking): Promise<Row> {
  const { read } = resource;
  const made: Row | undefined = await callAsync(() => resource.create(caller)).catch((cause: unknown) => {
    if (cause instanceof Violation) throw cause;
    throw new Violation(`create of ${read} failed: ${visit.redact(reasonOf(cause))}.`);
  });
  const row = made ?? {};
  const parameters = visit.paths.parametersIn(read);
  demand(
    parameters.length + Object.keys(row).length > 0,
    `create of ${read} returned no value. Return the id that the list shows.`,
  );
  for (const name of parameters) {
    const value = row[name];
    demand(
      (typeof value === 'string' && value !== '') || Number.isFinite(value),
      `create of ${read} returned ${value === undefined ? 'nothing' : JSON.stringify(value)} as ${name}. Return a string or a number for each parameter of read.`,
    );
  }
  caller.rows.push({ resource, row });
  return row;
}

/** Makes a row of each resource, and returns the values of all. */
export async function createRows(visit: Visit, caller: Asking): Promise<readonly string[]> {
  const values: string[] = [];
  for (const resource of visit.host.resources ?? []) {
    values.push(...Object.values(await createRow(visit, resource, caller)).map(String));
  }
  return values;
}
