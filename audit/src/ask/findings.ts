import { markOf } from './listen-in.js';
import { handlersOf } from './routes.js';
import type { AskedRoute } from './row.js';

interface Finding {
  readonly text: string;
  readonly fix: string;
  /** The worst has the lowest. */
  readonly rank: number;
}

const OPEN =
  'A caller without a token reaches the handler. Mount a guard before it, or expect this finding in the test if the route ' +
  'is for everybody.';
const FIXES = {
  unclear:
    'The answer does not say if the caller matters. Give a test host whose functions answer, for example with its database.',
  unreached: 'Another route or function answered. Remove the route, or mount it before them.',
  early: 'It answers strangers, who can learn from it which ids exist. Mount the guard before it.',
  account:
    'The guard has no store, so a disabled account passes until its token expires. Write requireBearer({ userStore }).',
  late: 'A check after the handler checks nothing. Mount requireOwnReference() before it.',
  none: 'Give the app after its routes are mounted. NestJS mounts them in await app.init().',
};

/** An app without a route is a finding: the test can be too early. */
export function findingsOf(routes: readonly AskedRoute[]): readonly Finding[] {
  // Before NestJS mounts its routes, our login and a requireOwnReference can be there.
  const own = routes.filter((row) => !row.route || kindsOf(row).includes(undefined));
  const none = routes.length === 0 ? 'the app: no route' : 'the app: no route except the login';
  if (own.length === 0) return [{ text: none, fix: FIXES.none, rank: 0 }];
  return own.flatMap((row) => findingsOfRow(row, routes)).toSorted((one, other) => one.rank - other.rank);
}

function findingsOfRow(row: AskedRoute, routes: readonly AskedRoute[]): Finding[] {
  const { verdict, by, early, account } = row;
  const finding = (rank: number, problem: string, fix: string) => ({
    text: `${row.method} ${row.path}: ${problem}`,
    fix,
    rank,
  });
  const findings: Finding[] = [];
  if (verdict === 'open' || row.isShape) findings.push(finding(...openness(row, routes), OPEN));
  else if (verdict === 'openWithInput') findings.push(finding(5, `open with the input that ${by} wants`, OPEN));
  else if (verdict === 'unclear')
    findings.push(finding(6, `unclear, ${row.status || 'no answer'} from ${by}`, FIXES.unclear));
  else if (verdict === 'unreached') findings.push(finding(7, 'reached by no request', FIXES.unreached));
  else {
    const answering = early
      .filter((name) => / answers$|^param\(/.test(name))
      .map((name) => name.replace(/ answers$/, ''));
    for (const name of answering) findings.push(finding(8, `${name} before the guard`, FIXES.early));
  }
  if (account === false) findings.push(finding(9, 'account not checked', FIXES.account));
  if (isReferenceLate(row)) findings.push(finding(10, 'requireOwnReference after the handler', FIXES.late));
  return findings;
}

function openness(
  { method, path, request, isShape, status, by }: AskedRoute,
  routes: readonly AskedRoute[],
): [number, string] {
  if (isShape) return [0, `refused, but open as ${request}`];
  // Without a `return`, a function answers and goes on.
  if (status >= 400) return [1, `open, although ${by} answered ${status}`];
  const isRefused = (other: AskedRoute) =>
    other.path === path && other.method !== method && other.verdict === 'refused';
  const refused = routes.find(isRefused);
  if (refused) return [1, `open, but refused for ${refused.method}`];
  if (!['GET', 'USE'].includes(method)) return [2, 'open'];
  return [/[:*{]/.test(path) ? 3 : 4, 'open'];
}

/** Reads the order of the functions: a handler that ran would end the request. */
function isReferenceLate(row: AskedRoute): boolean {
  const kinds = kindsOf(row);
  const last = kinds.lastIndexOf(undefined);
  return last >= 0 && kinds.slice(last).includes('ownReference');
}

/** Returns `undefined` for each function of the host. */
function kindsOf({ route, method }: AskedRoute): readonly (string | undefined)[] {
  const handlers = route ? handlersOf(route, method === 'ALL' ? undefined : method.toLowerCase()) : [];
  return handlers.map(({ handle }) => markOf(handle)?.kind);
}
