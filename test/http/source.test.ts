import type { IncomingMessage, RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { Mock } from 'node:test';
import { expect } from 'chai';
import { freezeTime } from '../helpers/frozen-time.js';
import { serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { until } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';

type Module = typeof import('../../src/http/source.js');

const NAMES_PROXIES =
  'Failed logins are counted by email and by proxy until it names your proxies: ' +
  "app.set('trust proxy', 'loopback, 10.0.0.0/8') or the number of proxies in front.";
const IS_OFF =
  'Express\'s setting "trust proxy" is off, and a proxy in front sends X-Forwarded-For, so all callers have its address. ' +
  NAMES_PROXIES;
const IS_TRUE =
  'Express\'s setting "trust proxy" is true, which lets callers choose the address that they are counted under. ' +
  NAMES_PROXIES;
const THROWS = 'Express\'s setting "trust proxy" is a function that throws. ' + NAMES_PROXIES;
const NO_ADDRESS =
  'Express\'s setting "trust proxy" leaves something in req.ip that is not an address. ' + NAMES_PROXIES;

/** Loads the module again, so that it has not warned yet. */
function loadSource(): Module {
  const file = require.resolve('../../src/http/source.js');
  const cached = require.cache[file];
  Reflect.deleteProperty(require.cache, file);
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- a second copy can only be had through the cache
    return require('../../src/http/source.js') as Module;
  } finally {
    if (cached !== undefined) require.cache[file] = cached;
  }
}

interface Peer {
  readonly remoteAddress: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ip?: string | undefined;
  readonly trustProxy?: unknown;
}

type SourceOf = (req: IncomingMessage, given?: string) => string | undefined;

/** Returns the source of a request with these members, as Express makes them. */
function sourceOfPeer(sourceOf: SourceOf, peer: Peer) {
  return sourceOf(requestOf(peer));
}

function requestOf({ remoteAddress, headers = {}, ip = remoteAddress, trustProxy = false }: Peer): IncomingMessage {
  const req = { socket: { remoteAddress }, headers, ip, app: { get: () => trustProxy } };
  return req as unknown as IncomingMessage;
}

onEachExpress('sourceOf', ({ express }) => {
  let sourceOf: SourceOf;
  let warnings: string[];

  beforeEach(() => {
    const { determineSource } = loadSource();
    sourceOf = (req, given) => determineSource(req, given).source;
    warnings = collectWarnings();
  });

  /** The source of a request from 127.0.0.1 to an app with this setting, `undefined` for none. */
  async function sourceBehind(trustProxy: unknown, forwardedFor?: string): Promise<string> {
    const app = express();
    if (trustProxy !== undefined) app.set('trust proxy', trustProxy);
    app.use((req, res) => void res.send(String(sourceOf(req))));
    const client = await serve(app);
    const headers = forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor };
    return (await client.send('GET', '/', { headers })).text;
  }

  it('is the address of the peer, without a proxy', async () => {
    expect(await sourceBehind(undefined)).to.equal('127.0.0.1');
    expect(warnings).to.deep.equal([]);
  });

  for (const [setting, warning] of [
    [undefined, IS_OFF],
    [false, IS_OFF],
    [0, IS_OFF],
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

  it('is undefined when the proxy forwards a text that is not an address, with one warning', async () => {
    expect(await sourceBehind('loopback', 'unknown')).to.equal('undefined');
    expect(await sourceBehind('loopback', '_hidden')).to.equal('undefined');
    expect(warnings).to.deep.equal([NO_ADDRESS]);
  });

  it('is undefined when the function of "trust proxy" throws, with one warning', async () => {
    const throwing = () => {
      throw new Error('of the host');
    };
    expect(await sourceBehind(throwing, '203.0.113.7')).to.equal('undefined');
    expect(await sourceBehind(throwing, '203.0.113.8')).to.equal('undefined');
    expect(warnings).to.deep.equal([THROWS]);
  });

  it('is undefined for a caller that has left, for which Express gives the function undefined, without a warning', async () => {
    const app = express();
    app.set('trust proxy', (address: string) => address.startsWith('10.'));
    const source = new Promise((resolve) => {
      app.use((req) => {
        req.socket.destroy();
        req.once('close', () => resolve(sourceOf(req)));
      });
    });
    const { port } = await serve(app);
    connect(port, '127.0.0.1').write('GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n');
    expect(await source).to.equal(undefined);
    expect(warnings).to.deep.equal([]);
  });

  it('is undefined when the caller has disconnected, without a warning', async () => {
    const sources: unknown[] = [];
    const app = express();
    app.use((req) => {
      req.socket.once('close', () => sources.push(sourceOf(req)));
      req.socket.destroy();
    });
    const client = await serve(app);
    await client.send('GET', '/').catch(() => undefined);
    await until(() => sources.length === 1);
    expect(sources).to.deep.equal([undefined]);
    expect(warnings).to.deep.equal([]);
  });

  it('uses the setting that a mounted app inherits', async () => {
    const [outer, inner] = [express(), express()];
    outer.set('trust proxy', 'loopback');
    inner.use((req, res) => void res.send(String(sourceOf(req))));
    outer.use('/v1', inner);
    const client = await serve(outer);
    const answer = await client.send('GET', '/v1/', { headers: { 'X-Forwarded-For': '203.0.113.7' } });
    expect(answer.text).to.equal('203.0.113.7');
  });

  it('is the peer without an app, and unknown behind a proxy, with one warning that names the option', async () => {
    const listener: RequestListener = (req, res) => res.end(String(sourceOf(req)));
    const client = await serve(listener);
    const forwarded = { headers: { 'X-Forwarded-For': '203.0.113.7' } };
    for (const [options, source] of [
      [{}, '127.0.0.1'],
      [forwarded, 'undefined'],
      [forwarded, 'undefined'],
    ] as const) {
      expect((await client.send('GET', '/', options)).text).to.equal(source);
    }
    expect(warnings).to.deep.equal([
      'A proxy in front sends X-Forwarded-For, and a request that did not pass Express has no req.ip. Give ' +
        'guard.authenticate the address of the caller as source.',
    ]);
  });
});

describe('sourceOf, for peers that are not loopback', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.7' };
  let sourceOf: SourceOf;
  let warnings: string[];

  beforeEach(() => {
    const { determineSource } = loadSource();
    sourceOf = (req, given) => determineSource(req, given).source;
    warnings = collectWarnings();
  });

  it('is undefined for a private address that forwards another one, because Express does not know this proxy', () => {
    for (const remoteAddress of ['10.1.2.3', '::ffff:127.0.0.1', 'fe80::1%eth0']) {
      expect(sourceOfPeer(sourceOf, { remoteAddress, headers: forwarded }), remoteAddress).to.equal(undefined);
    }
    expect(warnings).to.deep.equal([IS_OFF]);
  });

  it('is a public address that forwards another one, and a private address that forwards nothing', () => {
    expect(sourceOfPeer(sourceOf, { remoteAddress: '198.51.100.1', headers: forwarded })).to.equal('198.51.100.1');
    expect(sourceOfPeer(sourceOf, { remoteAddress: '10.1.2.3' })).to.equal('10.1.2.3');
    expect(warnings).to.deep.equal([]);
  });

  it('is undefined on a socket without an address', () => {
    expect(sourceOfPeer(sourceOf, { remoteAddress: undefined })).to.equal(undefined);
    expect(warnings).to.deep.equal([NO_ADDRESS]);
    expect(sourceOfPeer(sourceOf, { remoteAddress: undefined, headers: forwarded })).to.equal(undefined);
    expect(sourceOfPeer(sourceOf, { remoteAddress: '/run/app.sock' })).to.equal(undefined);
    expect(warnings).to.deep.equal([NO_ADDRESS]);
  });

  it('is undefined for a caller that has reset the connection, without a warning', () => {
    const socket = { destroyed: false, remoteAddress: undefined, localAddress: '127.0.0.1' };
    expect(sourceOf({ socket, headers: {} } as never)).to.equal(undefined);
    expect(warnings).to.deep.equal([]);
  });

  it('gives its warning a type and a code', () => {
    const emitWarning = Object.getOwnPropertyDescriptor(process, 'emitWarning')?.value as Mock<
      typeof process.emitWarning
    >;
    sourceOfPeer(sourceOf, { remoteAddress: '10.1.2.3', headers: forwarded });
    expect(emitWarning.mock.calls[0]?.arguments[1]).to.deep.equal({
      type: 'ExpressMerchantAuthWarning',
      code: 'EMA_TRUST_PROXY',
    });
  });
});

describe('determineSource', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.7' };
  let module: Module;
  let warnings: string[];

  beforeEach(() => {
    freezeTime();
    module = loadSource();
    warnings = collectWarnings();
  });

  const determine = (peer: Peer) => module.determineSource(requestOf(peer));

  it('returns the source as the address, if it is determined', () => {
    expect(determine({ remoteAddress: '10.1.2.3', ip: '203.0.113.7', trustProxy: 1 })).to.deep.equal({
      source: '203.0.113.7',
      address: '203.0.113.7',
      ip: '203.0.113.7',
    });
    expect(determine({ remoteAddress: '2001:db8:0:7::1' })).to.deep.equal({
      source: '2001:db8:0:7::/64',
      address: '2001:db8:0:7::/64',
      ip: '2001:db8:0:7::1',
    });
  });

  it('returns the address of the peer if the source is undetermined, whatever the header says (ASVS 4.1.3)', () => {
    for (const [name, peer] of [
      ['off', { remoteAddress: '10.1.2.3', headers: forwarded }],
      ['true', { remoteAddress: '10.1.2.3', ip: '203.0.113.7', trustProxy: true, headers: forwarded }],
      ['true', { remoteAddress: '10.1.2.3', trustProxy: true }],
      ['not an address', { remoteAddress: '10.1.2.3', ip: 'unknown', trustProxy: 'loopback' }],
    ] as const) {
      expect(determine(peer), name).to.deep.equal({ source: undefined, address: '10.1.2.3', ip: undefined });
    }
    expect(determine({ remoteAddress: 'fd00:0:0:7::1', headers: forwarded })).to.deep.equal({
      source: undefined,
      address: 'fd00:0:0:7::/64',
      ip: undefined,
    });
    expect(determine({ remoteAddress: '/run/app.sock' })).to.deep.equal({
      source: undefined,
      address: '/run/app.sock',
      ip: undefined,
    });
    expect(determine({ remoteAddress: undefined })).to.deep.equal({ source: undefined, address: '', ip: undefined });
  });

  it('returns no address for a request without a socket', () => {
    const req = { headers: {} } as unknown as Parameters<Module['determineSource']>[0];
    expect(module.determineSource(req)).to.deep.equal({ source: undefined, address: '', ip: undefined });
  });

  it('warns once, and remindOfSource warns again at most once an hour', () => {
    const time = freezeTime();
    const proxied = requestOf({ remoteAddress: '10.1.2.3', headers: forwarded });
    module.determineSource(proxied);
    module.remindOfSource(proxied);
    expect(warnings).to.deep.equal([IS_OFF]);
    time.pass(3_599);
    module.remindOfSource(proxied);
    expect(warnings).to.deep.equal([IS_OFF]);
    time.pass(1);
    module.determineSource(proxied);
    expect(warnings).to.deep.equal([IS_OFF]);
    module.remindOfSource(proxied);
    module.remindOfSource(proxied);
    expect(warnings).to.deep.equal([IS_OFF, IS_OFF]);
  });

  it('does not warn again about a determined source', () => {
    module.remindOfSource(requestOf({ remoteAddress: '203.0.113.7' }));
    expect(warnings).to.deep.equal([]);
  });
});
