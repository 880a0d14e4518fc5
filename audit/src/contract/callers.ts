import { leaveOutUnless, Violation } from 'express-merchant-auth/testing';
import { type Answer, demandOf, isGood, summaryOf } from './answer.js';
import { demand, reasonOf } from './demand.js';
import { parse, withMembers } from './exchange.js';
import { type HostRoute, writeEntry } from './host-routes.js';
import type { Caller, Resource, RouteRequest, RowValues, TestMerchant } from './host-under-test.js';
import type { Paths } from './paths.js';
import { BODILESS, type Visit } from './visit.js';

export type Row = Awaited<ReturnType<Resource['create']>>;

/** A merchant of a run, with all that it has sent and made. */
export interface Asking extends Caller {
  /** The member of the host that has the merchant, for messages, because a reference can be a UUID. */
  readonly role: 'merchant' | 'otherMerchant';
  /** The id of the account, if the token tells it. */
  readonly id: unknown;
  readonly sent: Sent[];
  readonly rows: { readonly resource: Resource; readonly row: Row }[];
  /** Sends the request of a route, with what the host says that the route needs, and with the values of a row. */
  readonly ask: (route: HostRoute, asked?: Asked) => Promise<Answer>;
  /** Makes a row, by requests whose bodies can be changed. */
  readonly create: (resource: Resource, change?: (body: object) => object) => Promise<Row>;
  /** Makes a row of each resource, and returns the values of all. */
  readonly createEach: () => Promise<readonly string[]>;
}

/** A request of `create`, and its answer. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
  readonly answer: Answer;
}

/** The parts of a request that a case adds to those of the host's entry. */
interface Asked {
  readonly row?: Row | undefined;
  readonly resource?: Resource | undefined;
  /** Further members of the body. */
  readonly members?: object;
  readonly query?: RowValues;
  /** True for the same request without a token. */
  readonly isOpen?: boolean;
}

const LIMIT_MS = 5_000;
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
  const caller: Asking = {
    ...merchant,
    role: merchant === visit.host.merchant ? 'merchant' : 'otherMerchant',
    id: (parse(String(Buffer.from(token.split('.')[1] ?? '', 'base64url'))) as { sub?: unknown } | undefined)?.sub,
    sent: [],
    rows: [],
    async send(route, body, headers = {}) {
      const [method = '', path = ''] = route.split(' ');
      const isPath = path.startsWith('/');
      demand(isPath, `send takes a method and a path, for example POST /v1/payments, and not "${route}".`);
      const answer = await visit.sendAs(token, method, path, { headers, ...(body && { body }) });
      caller.sent.push({ method, path, body, answer });
      const problem = `${answer.request} for ${caller.role} got ${summaryOf(answer)}.`;
      demandOf(answer, isGood(answer), problem, LET_CREATE);
      return answer.json;
    },
    async ask(route, asked = {}) {
      const { path, ...sending } = requestOf(visit, route, caller, asked);
      const answer = await visit.sendAs(asked.isOpen ? undefined : token, route.method, path, sending);
      // Two answers of a limiter are alike, and tell nothing.
      demandOf(answer, answer.status !== 429, `${answer.request} got 429.`, '');
      return answer;
    },
    async create(resource, change = (body) => body) {
      const send: Caller['send'] = (route, body, headers) => caller.send(route, body && change(body), headers);
      const row = await createRow(visit, resource, { ...caller, send });
      caller.rows.push({ resource, row });
      return row;
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

async function createRow({ found, redact }: Visit, resource: Resource, caller: Caller): Promise<Row> {
  const { read } = resource;
  const create = async (): Promise<Row | undefined> => resource.create(caller);
  const made = await create().catch((cause: unknown) => {
    if (cause instanceof Violation) throw cause;
    throw new Violation(`create of ${read} failed: ${redact(reasonOf(cause))}.`);
  });
  const row = made ?? {};
  const parameters = found.paths.parametersIn(read);
  const hasValue = parameters.length + Object.keys(row).length > 0;
  demand(hasValue, `create of ${read} returned no value. Return the id that the list shows.`);
  for (const name of parameters) {
    const value = row[name];
    demand(
      (typeof value === 'string' && value !== '') || Number.isFinite(value),
      `create of ${read} returned ${value === undefined ? 'nothing' : JSON.stringify(value)} as ${name}. Return a string or a number for each parameter of read.`,
    );
  }
  return row;
}

/** Returns the path, the headers and the body of a request to a route. */
function requestOf({ found, referenceName, host }: Visit, route: HostRoute, caller: Asking, asked: Asked) {
  const { paths } = found;
  const { method, path, request, parameters } = route;
  const { row = {}, resource, members, query } = asked;
  // The reference in a row is that of its owner, which a route can take under another name.
  const values = { [referenceName]: caller.referencl, ...row };
  const names = resource
    ? idsOf(paths, resource, row)
    : parameters.map((name) => (name in row ? name : (Object.keys(row).at(-1) ?? name)));
  const ids = names.slice(0, parameters.length).map((name) => String(row[name] ?? ''));
  const own = route.isDemanded && !paths.hasReference(path) ? { [referenceName]: caller.referencl } : {};
  const hasBody = !BODILESS.test(method);
  const sentBody = caller.sent.findLast((one) => one.method === method && paths.isPathOf(one.path, path))?.body;
  const usual = sentBody ?? host.transactions?.body(caller.referencl) ?? {};
  const body = partOf(request, 'body', values) ?? (hasBody ? withMembers(usual, { ...own, ...usual }) : undefined);
  const search = { ...(partOf(request, 'query', values) ?? (hasBody ? {} : own)), ...query };
  const given = Object.entries(search).filter(([, value]) => value !== undefined);
  const filled = paths.fill(path, ids, caller.referencl);
  // A route that is closed to merchants deletes nothing.
  if (!found.refused.includes(route)) demandOthers(route, caller, filled.slice(filled.lastIndexOf('/') + 1));
  return {
    path: `${filled}?${String(new URLSearchParams(given as [string, string][]))}`.replace(/\?$/, ''),
    headers: partOf(request, 'headers', values) ?? {},
    limitMs: LIMIT_MS,
    ...(body && { body: withMembers(body, members) }),
  };
}

/** Returns the names of the values in the path of a row, in their order. */
function idsOf(paths: Paths, { read }: Resource, row: Row): readonly string[] {
  const names = paths.parametersIn(read);
  return names.length > 0 ? names : Object.keys(row);
}

/** Refuses to delete the account of the test, because every case after it would fail. */
function demandOthers({ method, path, name }: HostRoute, { id, email, referencl, role }: Asking, last: string) {
  const isLast = (value: unknown) => encodeURIComponent(String(value)) === last;
  const isAccount = method === 'DELETE' && /[:*][^/]*$/.test(path) && [id, email, referencl].some(isLast);
  demand(
    !isAccount,
    `${name} would delete the account of ${role}, which the test uses. Let create make another one, or write ${writeEntry('leaveOut', name)}.`,
  );
}

/** Returns the names of a row's values that a request to a route has, and none for a row that it cannot have. */
export function namesUsed(paths: Paths, route: HostRoute, resource: Resource, row: Row): readonly string[] {
  const used = new Set(idsOf(paths, resource, row).slice(0, route.parameters.length));
  const watched = {};
  for (const [name, value] of Object.entries(row)) {
    Object.defineProperty(watched, name, { enumerable: true, get: () => (used.add(name), value) });
  }
  try {
    for (const part of ['body', 'query', 'headers'] as const) partOf(route.request, part, watched);
  } catch {
    // The row is of another resource.
    return [];
  }
  return [...used];
}

function partOf<Part extends keyof RouteRequest>(request: RouteRequest, name: Part, row: RowValues) {
  const part: unknown = request[name];
  type Value = Exclude<RouteRequest[Part], (row: never) => unknown>;
  return (typeof part === 'function' ? Reflect.apply(part, undefined, [row]) : part) as Value;
}
