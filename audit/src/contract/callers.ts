import { leaveOutUnless, Violation } from 'express-merchant-auth/testing';
import { type Answer, demand, demandOf, isGood, reasonOf, summaryOf, withMembers } from './answer.js';
import type { HostRoute } from './host-routes.js';
import type { Caller, Resource, RowValues, TestMerchant } from './host-under-test.js';
import { timesIn } from './json.js';
import { BODILESS, type Visit } from './visit.js';

export type Row = Awaited<ReturnType<Resource['create']>>;

const READ = 'Read it from the answer: as.send resolves to its parsed body, for example { data: { id } }.';

/** A merchant of a run, with all that it has sent and made. */
export type Asking = Awaited<ReturnType<typeof callerOf>>;

/** A case adds these to the host's entry: `members` to the body. `isOpen` sends no token. */
interface Asked {
  readonly row?: Row;
  readonly resource?: Resource;
  readonly members?: object;
  readonly query?: RowValues;
  readonly isOpen?: boolean;
}

/** Returns the owner of the rows, and the merchant that asks. */
export async function callersOf(visit: Visit) {
  const { merchant, otherMerchant, resources } = visit.host;
  leaveOutUnless(resources !== undefined, 'Give resources to test this.');
  leaveOutUnless(otherMerchant !== undefined, 'Give otherMerchant to test this.');
  return { owner: await callerOf(visit, merchant), other: await callerOf(visit, otherMerchant) };
}

export async function callerOf(visit: Visit, merchant: TestMerchant) {
  const { paths } = visit.found;
  const token = await visit.tokenOf(merchant);
  /** In messages: a reference can be a UUID. */
  const role = merchant === visit.host.merchant ? 'merchant' : 'otherMerchant';
  const sent: { method: string; path: string; body: object | undefined; answer: Answer }[] = [];
  const rows: { resource: Resource; row: Row }[] = [];

  const send: Caller['send'] = async (route, body, headers = {}) => {
    const [method = '', path = ''] = route.split(' ');
    const answer = await visit.sendAs(token, method, path, { headers, ...(body && { body }) });
    sent.push({ method, path, body, answer });
    const problem = `${answer.request} for ${role} got ${summaryOf(answer)}.`;
    demandOf(answer, isGood(answer), problem, 'Let create send what the route accepts, different each time.');
    return answer.json;
  };
  /** Sends what the host's entry says. Returns the answer, with names and values of the row in the request. */
  const ask = async (route: HostRoute, asked: Asked = {}) => {
    const usual = sent.findLast(
      ({ method, path }) => method === route.method && paths.isPathOf(path, route.path),
    )?.body;
    const { path, names, ...sending } = requestOf(visit, route, merchant, usual, asked);
    const answer = await visit.sendAs(asked.isOpen ? undefined : token, route.method, path, sending);
    // Two answers of a limiter are alike, and tell nothing.
    demandOf(answer, answer.status !== 429, `${answer.request} got 429.`, '');
    return { ...answer, names, asked: names.map((name) => String(asked.row?.[name])) };
  };
  /** @param change can change the body of each request */
  const create = async (resource: Resource, change = (body: object, _step: number) => body): Promise<Row> => {
    let step = -1;
    const sendNext: Caller['send'] = (route, body, headers) => {
      step += 1;
      return send(route, body && change(body, step), headers);
    };
    const make = async (): Promise<Row | undefined> => resource.create({ ...merchant, send: sendNext });
    const row = await make().catch((cause: unknown) => {
      if (cause instanceof Violation) throw cause;
      throw new Violation(`create of ${resource.read} failed: ${visit.redact(reasonOf(cause))}.`);
    });
    for (const [name, value] of Object.entries<unknown>(row ?? {})) {
      const isMissing = value === undefined || value === null || value === '';
      demand(!isMissing, `create of ${resource.read} returned no value for ${name}. ${READ}`);
    }
    rows.push({ resource, row: row ?? {} });
    return row ?? {};
  };
  const createEach = async () => {
    for (const resource of visit.host.resources ?? []) await create(resource);
  };
  return { ...merchant, role, sent, rows, send, ask, create, createEach };
}

/** @param sent the body that `create` sent to this route */
function requestOf(
  visit: Visit,
  route: HostRoute,
  { referencl }: TestMerchant,
  sent: object | undefined,
  asked: Asked,
) {
  const { host, found } = visit;
  const { row = {}, resource, members, query } = asked;
  const { referenceName, paths } = found;
  const { name, method, path, request, parameters } = route;
  const names = new Set<string>();
  // The reference in a row is that of its owner, which a route can take under another name.
  const known: RowValues = { [referenceName]: referencl, ...row };
  const values = new Proxy(known, { get: (all, key: string) => (names.add(key), all[key]) });
  const valueOf = <Part extends object | string>(part: Part | ((row: RowValues) => Part) | undefined) => {
    try {
      return typeof part === 'function' ? (part as (row: RowValues) => Part)(values) : part;
    } catch (cause) {
      const where = `${name} failed for a row of ${resource?.read}`;
      throw new Violation(`The entry of ${where}: ${reasonOf(cause)}, so the test proves nothing.`, { cause });
    }
  };
  const own = route.isDemanded && paths.referencesIn(path).length === 0 ? { [referenceName]: referencl } : {};
  const isBodiless = BODILESS.test(method);
  const usual = sent ?? host.transactions?.body(referencl) ?? {};
  const body = valueOf<object | string>(request.body) ?? (isBodiless ? undefined : withMembers(usual, own));
  const search = { ...(valueOf<RowValues>(request.query) ?? (isBodiless ? own : {})), ...query };
  const headers = valueOf<Readonly<Record<string, string>>>(request.headers) ?? {};
  const inRead = resource ? paths.parametersIn(resource.read) : [];
  const ids = parameters.map((parameter, index) => {
    // A route can name the parameter of `read` in another way, and only `create` knows the id that a list shows.
    const other = inRead[index] ?? Object.keys(row).at(resource ? index : -1) ?? '';
    return String(values[parameter in row && !inRead.includes(parameter) ? parameter : other] ?? '');
  });
  const given = Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const filled = paths.fill(path, ids, referencl);
  return {
    path: `${filled}?${String(new URLSearchParams(given))}`.replace(/\?$/, ''),
    // An entry for all methods of a path can have a body.
    ...{ headers, ...(body && method !== 'GET' && { body: withMembers(body, members) }) },
    names: [...names].filter((key) => key in row),
  };
}

/** Returns values of rows, the reference and the email that only the owner has. */
export function secretsOf(owner: Asking, other: Asking): readonly string[] {
  const ofOther = JSON.stringify(other.rows.map(({ row }) => row));
  const values = owner.rows.flatMap(({ row }) => Object.values(row)).map(String);
  return [...new Set([...values, owner.referencl, owner.email])].filter((value) => timesIn(ofOther, value) === 0);
}
