import { leaveOutUnless } from 'express-merchant-auth/testing';
import { demandOf, MOUNT_LAST } from './answer.js';
import { demand } from './demand.js';
import type { HostCases } from './visit.js';

const ORIGIN = { Origin: 'https://shop.contract.example' };

export const setupCases: HostCases = {
  'a host that allows browsers lets them send Authorization and read refusals': async (visit) => {
    const preflight = await visit.send('OPTIONS', visit.transactionsPath, {
      headers: {
        ...ORIGIN,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });
    const isForBrowsers = preflight.headers['access-control-allow-origin'] !== undefined;
    leaveOutUnless(isForBrowsers, 'This host allows no browsers: no Access-Control-Allow-Origin.');
    const allowed = String(preflight.headers['access-control-allow-headers']).toLowerCase();
    demand(
      allowed.includes('authorization'),
      `The preflight allows the headers "${allowed}", so browsers do not send the token. Add Authorization to ` +
        'allowedHeaders of cors(...); "*" does not include it.',
    );
    const refused = await visit.transactAs(undefined, { headers: ORIGIN });
    const isReadable = refused.headers['access-control-allow-origin'] !== undefined;
    const problem = `A ${refused.status} has no Access-Control-Allow-Origin, so browsers cannot read why they were refused.`;
    demandOf(refused, isReadable, problem, 'Mount cors(...) in front of the guard.');
  },
  'a path that cannot be decoded gets a refusal as JSON, without the path': async (visit) => {
    const answer = await visit.sendAs(await visit.tokenOf(), 'GET', `${visit.transactionsPath}/%ff`);
    leaveOutUnless(answer.status !== 404, 'No route below this path has a parameter, so nothing decodes the path.');
    const isRefusal = answer.status === 400 && answer.json !== undefined && !answer.text.includes('%ff');
    const problem = `${answer.request} got ${answer.status}. The answer must be a 400 as JSON, without the path.`;
    demandOf(answer, isRefusal, problem, MOUNT_LAST);
  },
};
