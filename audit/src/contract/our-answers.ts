import { leaveOutUnless } from 'express-merchant-auth/testing';
import { demandOf, demandPass, demandRefusal, summaryOf } from './answer.js';
import { demand, demandEach } from './demand.js';
import { GUARD, LOGIN, MOUNT_LAST, type Row, SENT } from './our-requests.js';
import { type HostCases, MOUNT_LOGIN, type Visit } from './visit.js';

/** The members of the answer to a good login. A type stands for any value. */
const SUCCESS = (
  'status: Success, success: true, code: 200, message: Login success, user.email: <string>, user.phone: <string>, ' +
  'marchand.referencl: <string>, marchand.statut: <number>, authorisation.token: <string>, authorisation.type: bearer'
).split(', ');
const FREE = /^(user|marchand)\.|\.token$/;

function membersOf(value: unknown, name = ''): readonly string[] {
  if (value instanceof Object)
    return Object.entries(value).flatMap(([key, member]) => membersOf(member, name === '' ? key : `${name}.${key}`));
  return [`${name}: ${FREE.test(name) ? `<${typeof value}>` : String(value)}`];
}

/** Demands a good login first, because no other answer tells anything without one. */
async function demandGoodLogin({ host, logInOnce, tokenIn }: Visit): Promise<void> {
  const answer = await logInOnce();
  if (host.ownLogin || answer.status !== 200) return void (await tokenIn(answer));
  const members = membersOf(answer.json);
  const [wrong] = [...SUCCESS, ...members].filter((one) => !(SUCCESS.includes(one) && members.includes(one)));
  demandOf(
    answer,
    wrong === undefined,
    `In the answer to a good login, ${wrong?.replace(/: .*/s, '')} is not as in docs/interface.md 2.2.`,
    `Let no middleware wrap res.json, res.send or res.end. ${MOUNT_LOGIN}`,
  );
  demand(
    (answer.json as { marchand: { referencl: unknown } }).marchand.referencl === host.merchant.referencl,
    'marchand.referencl of a good login is not the referencl that this test gave. Correct the one that is wrong.',
  );
  demand(
    answer.headers['cache-control'] === 'no-store',
    'A good login is answered without Cache-Control: no-store. Let no middleware set that header after the router.',
  );
}

async function demandRow(visit: Visit, name: string, row: Row): Promise<void> {
  const received = await row.ask(visit);
  if (received === undefined) return;
  const answer = { ...received, request: `${received.request} (${name})` };
  const { request, status, text } = answer;
  const fix = typeof row.fix === 'string' ? row.fix : row.fix(answer, visit);
  if (row.ownFix !== undefined && visit.host.ownLogin) {
    demandOf(
      answer,
      status >= 400 && status < 500,
      `${request} got ${summaryOf(answer)} in place of a 4xx.`,
      row.ownFix,
    );
  } else if (row.code !== undefined) demandRefusal(answer, row.code, fix);
  else if (row.isAny) demandOf(answer, status !== 401, `${request} got ${summaryOf(answer)}.`, fix);
  else demandPass(answer, fix);
  demand(!text.includes(SENT), `The ${status} of ${request} quotes the body. ${MOUNT_LAST}`);
  await row.also?.(answer, visit);
}

export const REQUEST_NAMES = Object.keys({ ...LOGIN, ...GUARD });

export const ourAnswers: HostCases = {
  'login and guard answer as docs/interface.md says': async (visit) => {
    const { transactions, leaveOut } = visit.host;
    await demandGoodLogin(visit);
    const rows = Object.entries({ ...LOGIN, ...(transactions && GUARD) });
    const asked = rows.filter(([name]) => leaveOut?.[name] === undefined);
    await demandEach(asked, ([name, row]) => demandRow(visit, name, row));
    leaveOutUnless(transactions !== undefined, 'The login was tested. Give transactions to test the guard.');
  },
};
