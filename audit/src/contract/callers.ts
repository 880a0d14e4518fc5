import { leaveOutUnless, Violation } from 'express-merchant-auth/testing';
import { type Answer, demandOf, isGood, summaryOf } from './answer.js';
import { demand, reasonOf } from './demand.js';
import { parse, withMembers } from './exchange.js';
import { type HostRoute, writeEntry } from './host-routes.js';
import type { Caller, Resource, RowValues, TestMerchant } from './host-under-test.js';
import { BODILESS, type Visit } from './visit.js';

export type Row = Awaited<ReturnType<Resource['create']>>;

/** A merchant of a run, with all that it has sent and made. */
export interface Asking extends Caller {
  /** The name in messages: a reference can be a UUID. */
  readonly role: 'merchant' | 'otherMerchant';
  /** The id of the account, if the token tells it. */
  readonly id: unknown;
  readonly sent: { method: string; path: string; body: object | undefined; answer: Answer }[];
  readonly rows: { readonly resource: Resource; readonly row: Row }[];
  /** Sends what the host's entry says, with the values of a row. */
  readonly ask: (route: HostRoute, asked?: Asked) => Promise<RowAnswer>;
  /** `change` can change the body of each request. */
  readonly create: (resource: Resource, change?: (body: object, step: number) => object) => Promise<Row>;
  /** Makes a row of each resource. Returns all values. */
  readonly createEach: () => Promise<readonly string[]>;
}

/** An answer, with names and values of the row in its request. */
export interface RowAnswer extends Answer {
  readonly names: readonly string[];
  readonly asked: readonly string[];
}

/** A case adds these to the host's entry: `members` to the body. */
interface Asked {
  readonly row?: Row;
  readonly resource?: Resource;
  readonly members?: object;
  readonly query?: RowValues;
  /** Sent without a token. */
  readonly isOpen?: boolean;
}

/** Returns the owner of the rows, and the merchant that asks. */
export async function callersOf(visit: Visit): Promise<readonly [Asking, Asking]> {
  const { merchant, otherMerchant, resources } = visit.host;
  leaveOutUnless(resources !== undefined, 'Give resources to test this.');
  leaveOutUnless(otherMerchant !== undefined, 'Give otherMerchant to test this.');
  return [await callerOf(visit, merchant), await callerOf(visit, otherMerchant)];
}

export async function callerOf(visit: Visit, merchant: TestMerchant): Promise<Asking> {
  const token = await visit.tokenOf(merchant);
  const claims = parse(String(Buffer.from(token.split('.')[1] ?? '', 'base64url'))) as { sub?: unknown } | undefined;
  const role = merchant === visit.host.merchant ? 'merchant' : 'otherMerchant';
  const caller: Asking = {
    ...{ ...merchant, role, id: claims?.sub, sent: [], rows: [] },
    async send(route, body, headers = {}) {
      const [method = '', path = ''] = route.split(' ');
      const answer = await visit.sendAs(token, method, path, { headers, ...(body && { body }) });
      caller.sent.push({ method, path, body, answer });
      const problem = `${answer.request} for ${role} got ${summaryOf(answer)}.`;
      demandOf(answer, isGood(answer), problem, 'Let create send what the route accepts, different each time.');
      return answer.json;
    },
    async ask(route, asked = {}) {
      const { path, names, ...sending } = requestOf(visit, route, caller, asked);
      const answer = await visit.sendAs(asked.isOpen ? undefined : token, route.method, path, sending);
      // Two answers of a limiter are alike, and tell nothing.
      demandOf(answer, answer.status !== 429, `${answer.request} got 429.`, '');
      return { ...answer, names, asked: names.map((name) => String(asked.row?.[name])) };
    },
    async create(resource, change = (body) => body) {
      let step = -1;
      const send: Caller['send'] = (route, body, headers) => {
        step += 1;
        return caller.send(route, body && change(body, step), headers);
      };
      const make = async (): Promise<Row | undefined> => resource.create({ ...caller, send });
      const row = await make().catch((cause: unknown) => {
        if (cause instanceof Violation) throw cause;
        throw new Violation(`create of ${resource.read} failed: ${visit.redact(reasonOf(cause))}.`);
      });
      caller.rows.push({ resource, row: row ?? {} });
      return row ?? {};
    },
    async createEach() {
      const values: string[] = [];
      for (const resource of visit.host.resources ?? []) {
        values.push(...Object.values(await caller.create(resource)).map(String));
      }
      return values;
    },
  };
  return caller;
}

function requestOf(visit: Visit, route: HostRoute, caller: Asking, asked: Asked) {
  const { referenceName, host } = visit;
  const { paths, refused } = visit.found;
  const { name, method, path, request, parameters } = route;
  const { row = {}, resource, members, query } = asked;
  const names = new Set<string>();
  // The reference in a row is that of its owner, which a route can take under another name.
  const known: RowValues = { [referenceName]: caller.referencl, ...row };
  const values = new Proxy(known, { get: (all, key: string) => (names.add(key), all[key]) });
  const valueOf = <Part extends object | string>(part: Part | ((row: RowValues) => Part) | undefined) =>
    typeof part === 'function' ? (part as (row: RowValues) => Part)(values) : part;
  const own = route.isDemanded && !paths.hasReference(path) ? { [referenceName]: caller.referencl } : {};
  const isBodiless = BODILESS.test(method);
  const sent = caller.sent.findLast((one) => one.method === method && paths.isPathOf(one.path, path))?.body;
  const usual = sent ?? host.transactions?.body(caller.referencl) ?? {};
  const body = valueOf<object | string>(request.body) ?? (isBodiless ? undefined : withMembers(usual, own));
  const search = { ...(valueOf<RowValues>(request.query) ?? (isBodiless ? own : {})), ...query };
  const headers = valueOf<Readonly<Record<string, string>>>(request.headers) ?? {};
  const inRead = resource ? paths.parametersIn(resource.read) : [];
  const ids = parameters.map((parameter, index) => {
    const other = Object.keys(row).at(resource ? index : -1) ?? '';
    // A name of `read` stands for the parameter at its place, which can have another name.
    const isNamed = parameter in row && !inRead.includes(parameter);
    return String(values[isNamed ? parameter : (inRead[index] ?? other)] ?? '');
  });
  const filled = paths.fill(path, ids, caller.referencl);
  const account = [caller.id, caller.email, caller.referencl].map((value) => encodeURIComponent(String(value)));
  const isSafe = method !== 'DELETE' || refused.includes(route) || !account.includes(filled.replace(/.*\//, ''));
  const fix = `Let create make another one, or write ${writeEntry('leaveOut', name)}.`;
  demand(isSafe, `${name} would delete the account of ${caller.role}, which the test uses. ${fix}`);
  const given = Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    path: `${filled}?${String(new URLSearchParams(given))}`.replace(/\?$/, ''),
    ...{ headers, limitMs: 5_000, ...(body && { body: withMembers(body, members) }) },
    names: [...names].filter((key) => key in row),
  };
}
