import { parametersOf, showPlace } from './place.js';
import type { RouteStep } from './walk-route.js';
import type { Step } from './walk.js';

export interface Finding {
  readonly text: string;
  readonly fix: string;
}

const NOT_MOUNTED = 'Give the app after its routes are mounted. NestJS mounts them in await app.init().';
const NO_GUARD =
  'If this is your login, or needs no token, expect this finding in the test. Otherwise mount ' +
  'requireBearer({ userStore }) before it, at its path or above. A guard that is called inside your own function does ' +
  'not count, so mount [guard, yours]. In Express 4, /v1//pay passes a guard at /v1/pay and reaches a router at /v1, so mount ' +
  'the guard at /v1.';
const NO_STORE =
  'The guard has no store, so a disabled account passes for up to five hours. Give the guard your store: ' +
  'requireBearer({ userStore }). A service without the accounts leaves these findings out, as docs/testing.md shows.';
const EARLY =
  'It runs before the token is checked, so 401 and 404 can tell strangers which ids exist. Mount the guard before it: ' +
  'above the router, or first on the route. If it answers nothing, expect this finding in the test.';
const NOT_CHECKED =
  'Mount requireOwnReference() on this route, after its parser, because reference: "unchecked" of the guard looks at ' +
  'nothing. Or expect this finding in the test, if no request to the route has a reference.';
const LATE = 'A check after the function that answers checks nothing. Mount requireOwnReference() before it.';
const SPELLING =
  'The guard refuses it with 400, because a part of a request that looks like a name of the reference has to be one. Rename ' +
  'the parameter, or add this spelling to referenceNames.';
const TWICE =
  'Express shows a handler only the last of them. Leave one in the path, and mount requireOwnReference() on the route.';
const NO_BODY =
  'A requireBearer or requireOwnReference before this parser has read or refused each body, so the verify of this parser ' +
  'never runs. Mount it before them, or remove it, because they parse JSON themselves.';

/**
 * Returns the findings in the order of the app. An app without a route of the host is a finding, so that a test fails
 * whose app has no routes yet.
 */
export function findingsOf(steps: readonly Step[]): readonly Finding[] {
  const findings = steps.flatMap(findingOf);
  const guards = steps.flatMap((step) => (step.kind === 'route' ? step.route.guard : []));
  if (guards.some((guard) => guard !== 'login')) return findings;
  const text = guards.length === 0 ? 'the app: no route' : 'the app: no route except the login';
  return [{ text, fix: NOT_MOUNTED }, ...findings];
}

function findingOf(step: Step): readonly Finding[] {
  if (step.kind === 'route') return findingsOfRoute(step);
  if (step.kind === 'parser') {
    const method = step.method === undefined ? '' : `${step.method.toUpperCase()} `;
    return [{ text: `${method}${showPlace(step.place)} ${step.name}: gets no body`, fix: NO_BODY }];
  }
  if (step.kind !== 'blind') return [];
  const { path, handler, isBehindGuard, reason, fix } = step.spot;
  // Behind a guard, only the rows of the routes inside are not tested.
  if (isBehindGuard && !['unknownPath', 'noMark', 'version'].includes(step.of)) return [];
  return [{ text: `${path ?? '(unknown path)'} ${handler}: cannot be walked`, fix: `${reason} ${fix}` }];
}

function findingsOfRoute({ route, referenceNames, isLate, unseen = [], early }: RouteStep): readonly Finding[] {
  const { method, path, guard, account, reference } = route;
  const finding = (problem: string, fix: string): Finding => ({ text: `${method} ${path}: ${problem}`, fix });
  if (guard === 'login') return [];
  if (guard === 'none') return [finding('no guard', NO_GUARD)];
  const findings = account ? [] : [finding('account not checked', NO_STORE)];
  if (early !== undefined) findings.push(finding(`${early} before the guard`, EARLY));
  if (isLate) findings.push(finding('requireOwnReference after the handler', LATE));
  for (const parameter of parametersOf(path).filter((one) => !referenceNames.includes(one))) {
    const name = referenceNames.find((one) => lettersOf(one) === lettersOf(parameter));
    if (name !== undefined) findings.push(finding(`${parameter} is another spelling of ${name}`, SPELLING));
  }
  for (const { name, times } of unseen) {
    if (times > 1) findings.push(finding(`${name} twice in the path`, TWICE));
    else findings.push(finding(`${name} not demanded`, demandAt(path, name)));
  }
  if (unseen.length === 0 && reference === 'unchecked')
    findings.push(finding(`${referenceNames.join(', ')} not checked`, NOT_CHECKED));
  return findings;
}

function demandAt(path: string, name: string): string {
  const [start] = path.split(name);
  return (
    'Mount requireOwnReference() on this route, because no check before it sees and refuses the path parameter. Where a ' +
    `framework makes the routes, write app.use('${start}${name}', requireOwnReference()) before them.`
  );
}

/** Returns the letters and digits of a name. A path has no other parts in which two spellings can differ. */
function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z\d]/g, '');
}
