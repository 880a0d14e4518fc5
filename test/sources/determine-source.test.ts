import type { IncomingMessage } from 'node:http';
import type { Mock } from 'node:test';
import { expect } from 'chai';
import { cachePeerAddress } from '../../src/sources/peer.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { loadAgain } from '../helpers/load-again.js';
import { collectWarnings } from '../helpers/diagnostics.js';

type Module = typeof import('../../src/sources/determine-source.js');

const NAME_PROXIES =
  "set it to your proxies: app.set('trust proxy', 'loopback, 10.0.0.0/8') or the number of proxies in front. Until then, " +
  'failed logins are counted by email and by proxy.';
const DOUBT = 'If your proxy does not write this header, a caller did: do not set it.';
/** Returns the warning about the setting "trust proxy". */
const warningAbout = (problem: string) => `Express's setting "trust proxy" ${problem}. Instead, ${NAME_PROXIES}`;
/** Returns the warning about a header of a proxy whose `X-Forwarded-For` Express did not use. */
const unused = (setting: unknown, header = 'x-forwarded-for') =>
  `A request from a private address has the header ${header}, and Express's setting "trust proxy" (${JSON.stringify(setting)}) ` +
  'took no address from X-Forwarded-For, so all callers have the address of the proxy. Let the proxy send ' +
  `X-Forwarded-For, and ${NAME_PROXIES} ${DOUBT}`;
const IS_OFF = unused(false);
const IGNORES_ALL = IS_OFF.replace('(false)', '(a function)');
const IS_TRUE = warningAbout('is true, which lets callers choose the address that they are counted under');
const THROWS = warningAbout('is a function that throws');
const NO_ADDRESS = warningAbout('leaves something in req.ip that is not an address');
const FORWARDED = { 'x-forwarded-for': '203.0.113.7' };

const loadSource = () => loadAgain<Module>(require.resolve('../../src/sources/determine-source.js'));

interface Peer {
  readonly remoteAddress: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ip?: string | undefined;
  readonly trustProxy?: unknown;
}

/** Returns a request with these members, as Express makes them. */
function requestOf({ remoteAddress, headers = {}, ip = remoteAddress, trustProxy = false }: Peer): IncomingMessage {
  const req = { socket: { remoteAddress }, headers, ip, app: { get: () => trustProxy } };
  return req as unknown as IncomingMessage;
}

let loaded: Module;
let warnings: string[];
const sourceOf = (req: IncomingMessage) => loaded.determineSource(req).source;

function reload(): void {
  loaded = loadSource();
  warnings = collectWarnings();
}

onEachExpress('sourceOf', ({ express }) => {
  beforeEach(reload);

  /** The source of a request from 127.0.0.1 to an app with this setting, `undefined` for none. */
  async function sourceBehind(trustProxy: unknown, forwardedFor?: string, others: object = {}): Promise<string> {
    const app = express();
    if (trustProxy !== undefined) app.set('trust proxy', trustProxy);
    app.use((req, res) => void res.send(String(sourceOf(req))));
    const client = await serve(app);
    const headers = { ...others, ...(forwardedFor !== undefined && { 'X-Forwarded-For': forwardedFor }) };
    return (await client.send('GET', '/', { headers })).text;
  }

  it('is the address of the peer, without a proxy', async () => {
    expect(await sourceBehind(undefined)).to.equal('127.0.0.1');
    expect(warnings).to.deep.equal([]);
  });

  for (const [setting, warning] of [
    [undefined, IS_OFF],
    [false, IS_OFF],
    [0, unused(0)],
    ['10.0.0.0/8', unused('10.0.0.0/8')],
    [true, IS_TRUE],
  ] as const) {
    it(`is unknown behind a proxy while "trust proxy" is ${String(setting)}, with one warning that names it`, async () => {
      expect(await sourceBehind(setting, '203.0.113.7')).to.equal('undefined');
      expect(await sourceBehind(setting, '203.0.113.8')).to.equal('undefined');
      expect(warnings).to.deep.equal([warning]);
    });
  }

  for (const setting of ['loopback', 1, ['127.0.0.1'], (address: string) => address === '127.0.0.1']) {
    it(`is the address that the proxy forwards when "trust proxy" is ${String(setting)}`, async () => {
      expect(await sourceBehind(setting, '198.51.100.1, 203.0.113.7')).to.equal('203.0.113.7');
      expect(await sourceBehind(setting, '[2001:db8:0:7::1]:80')).to.equal('2001:db8:0:7::/64');
      expect(await sourceBehind(setting)).to.equal('127.0.0.1');
      expect(warnings).to.deep.equal([]);
    });
  }

  it('is unknown behind a proxy that sends X-Real-IP and no X-Forwarded-For, whatever the setting is', async () => {
    const realIp = { 'X-Real-IP': '203.0.113.7' };
    for (const setting of [undefined, 'loopback']) {
      expect(await sourceBehind(setting, undefined, realIp)).to.equal('undefined');
      expect(warnings.at(-1)).to.equal(unused(setting ?? false, 'x-real-ip'));
    }
    expect(await sourceBehind('loopback', '203.0.113.9', realIp)).to.equal('203.0.113.9');
    expect(await sourceBehind('loopback', '127.0.0.1', realIp)).to.equal('127.0.0.1');
    expect(await sourceBehind('loopback', '', realIp)).to.equal('undefined');
    expect(warnings).to.have.length(3);
  });

  it('is the address that a middleware of the host wrote into req.ip', async () => {
    const app = express().use((req, _res, next) => {
      Object.defineProperty(req, 'ip', { value: req.headers['x-real-ip'] });
      next();
    });
    app.use((req, res) => void res.send(String(sourceOf(req))));
    const { text } = await (await serve(app)).send('GET', '/', { headers: { 'X-Real-IP': '203.0.113.7' } });
    expect([text, warnings]).to.deep.equal(['203.0.113.7', []]);
  });

  const throwing = () => {
    throw new Error('of the host');
  };
  it('is undefined when the function of "trust proxy" throws, with one warning', async () => {
    for (const value of ['203.0.113.7', '203.0.113.8']) {
      expect(await sourceBehind(throwing, value)).to.equal('undefined');
    }
    expect(warnings).to.deep.equal([THROWS]);
  });

  it('is undefined for a caller that has left, for which Express gives the function undefined, without a warning', async () => {
    for (const setting of [false, (address: string) => address.startsWith('10.')]) {
      const app = express().set('trust proxy', setting);
      const source = new Promise((resolve) => {
        app.use((req) => {
          req.socket.once('close', () => resolve(sourceOf(req)));
          req.socket.destroy();
        });
      });
      const client = await serve(app);
      await client.send('GET', '/', { headers: setting ? FORWARDED : {} }).catch(() => undefined);
      expect(await source).to.equal(undefined);
    }
    expect(warnings).to.deep.equal([]);
  });
});

describe('determineSource', () => {
  beforeEach(() => {
    freezeTime();
    reload();
  });

  const determine = (peer: Peer) => loaded.determineSource(requestOf(peer));

  it('returns the source as the address, if it is determined', () => {
    for (const [peer, source, ip] of [
      [{ remoteAddress: '10.1.2.3', ip: '203.0.113.7', trustProxy: 1 }, '203.0.113.7', '203.0.113.7'],
      [{ remoteAddress: '198.51.100.1', headers: FORWARDED }, '198.51.100.1', '198.51.100.1'],
      [{ remoteAddress: '10.1.2.3' }, '10.1.2.3', '10.1.2.3'],
      [{ remoteAddress: '2001:db8:0:7::1' }, '2001:db8:0:7::/64', '2001:db8:0:7::1'],
    ] as const) {
      expect(determine(peer)).to.deep.equal({ source, address: source, ip });
    }
    expect(warnings).to.deep.equal([]);
  });

  it('returns the address of the peer if the source is undetermined, whatever the header says', () => {
    const remoteAddress = '10.1.2.3';
    for (const [peer, address, warning] of [
      [{ remoteAddress, headers: FORWARDED }, remoteAddress, IS_OFF],
      [{ remoteAddress: '::ffff:127.0.0.1', headers: FORWARDED }, '127.0.0.1', IS_OFF],
      [{ remoteAddress: 'fd00:0:0:7::1', headers: FORWARDED }, 'fd00:0:0:7::/64', IS_OFF],
      [{ remoteAddress, ip: '203.0.113.7', trustProxy: true, headers: FORWARDED }, remoteAddress, IS_TRUE],
      [{ remoteAddress, trustProxy: true }, remoteAddress, IS_TRUE],
      [{ remoteAddress, trustProxy: () => false, headers: FORWARDED }, remoteAddress, IGNORES_ALL],
      [{ remoteAddress, ip: 'unknown', trustProxy: 'loopback' }, remoteAddress, NO_ADDRESS],
      [{ remoteAddress: '/run/app.sock' }, '/run/app.sock', NO_ADDRESS],
      [{ remoteAddress: undefined }, '', NO_ADDRESS],
    ] as const) {
      reload();
      expect(determine(peer), JSON.stringify(peer)).to.deep.equal({
        source: undefined,
        address,
        ip: undefined,
        problem: warning,
      });
      expect(warnings).to.deep.equal([warning]);
    }
  });

  it('knows the headers that only proxies write, and names no end of a name that a caller can choose', () => {
    for (const header of [
      ...['forwarded', 'via', 'x-real-ip', 'x-forwarded-proto', 'x-forwarded-of-a-caller', 'cf-connecting-ip'],
      ...['true-client-ip', 'fly-client-ip', 'x-azure-clientip', 'x-client-ip', 'fastly-client-ip'],
      'x-original-forwarded-for',
    ]) {
      const { source, problem } = determine({ remoteAddress: '10.1.2.3', headers: { [header]: '203.0.113.7' } });
      expect([source, problem]).to.deep.equal([undefined, unused(false, header.replace('of-a-caller', '*'))]);
    }
  });

  it('returns the peer without an app, and nothing behind a proxy, with one warning that names the option', () => {
    const sourceWithoutApp = (headers: object) =>
      loaded.determineSource({ socket: { remoteAddress: '127.0.0.1' }, headers } as never).source;
    expect(sourceWithoutApp({})).to.equal('127.0.0.1');
    for (const headers of [FORWARDED, FORWARDED]) expect(sourceWithoutApp(headers)).to.equal(undefined);
    expect(warnings).to.deep.equal([
      'A request from a private address has the header x-forwarded-for, and did not pass Express. Give ' +
        `guard.authenticate the address of the caller as source. ${DOUBT}`,
    ]);
  });

  it('gives each warning a type and a code', () => {
    const time = freezeTime();
    const emitWarning: unknown = Object.getOwnPropertyDescriptor(process, 'emitWarning')?.value;
    const { mock } = emitWarning as Mock<typeof process.emitWarning>;
    const req = requestOf({ remoteAddress: '10.1.2.3', headers: FORWARDED });
    const source = loaded.determineSource(req);
    time.pass(3_600);
    loaded.remindOfProblem(source);
    loaded.determineSource(req, 'unknown');
    const options = { type: 'ExpressMerchantAuthWarning', code: 'EMA_TRUST_PROXY' };
    expect(mock.calls.map((call) => call.arguments[1])).to.deep.equal([options, options, options]);
  });

  it('returns no address for a request without a socket, as serverless adapters make it', () => {
    const req = { headers: {} } as never;
    expect(loaded.determineSource(req)).to.include({ source: undefined, address: '', ip: undefined });
    expect(cachePeerAddress(req)).to.equal(undefined);
  });

  it('takes the address that the host gives, and warns when it is not one', () => {
    const req = requestOf({ remoteAddress: '10.1.2.3' });
    const address = '2001:db8:0:7::/64';
    expect(loaded.determineSource(req, '2001:db8:0:7::1')).to.deep.equal({
      source: address,
      address,
      ip: '2001:db8:0:7::1',
    });
    expect(warnings).to.deep.equal([]);
    const unknown = { source: undefined, address: 'unknown', ip: undefined };
    for (let time = 0; time < 2; time++) expect(loaded.determineSource(req, 'unknown')).to.deep.equal(unknown);
    expect(warnings).to.deep.equal(['The source that guard.authenticate got is not an address.']);
  });

  it('warns once, and remindOfProblem warns again at most once an hour', () => {
    const time = freezeTime();
    const proxied = requestOf({ remoteAddress: '10.1.2.3', headers: FORWARDED });
    const source = loaded.determineSource(proxied);
    loaded.remindOfProblem(source);
    loaded.remindOfProblem(determine({ remoteAddress: '198.51.100.1' }));
    time.pass(3_599);
    loaded.remindOfProblem(source);
    time.pass(1);
    loaded.determineSource(proxied);
    expect(warnings).to.deep.equal([IS_OFF]);
    loaded.remindOfProblem(source);
    loaded.remindOfProblem(source, true);
    expect(warnings).to.deep.equal([IS_OFF, IS_OFF]);
  });

  it('warns that callers may share a private address which has reached the limit of a source', () => {
    const remind = (ip: string, isSourceLimit: boolean) =>
      loaded.remindOfProblem({ source: ip, address: ip, ip }, isSourceLimit);
    remind('203.0.113.7', true);
    remind('10.1.2.3', false);
    expect(warnings).to.deep.equal([]);
    for (const address of ['10.1.2.3', '127.0.0.1', '::1', 'fd00::7']) remind(address, true);
    expect(warnings).to.deep.equal([
      'A private address has reached the limit of failed logins for one source. If it is a proxy, a balancer or a NAT in ' +
        'front, all callers share this address and this limit: let it send X-Forwarded-For, and set Express\'s "trust ' +
        'proxy" to its address.',
    ]);
  });
});
