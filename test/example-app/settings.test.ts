import { expect } from 'chai';
import * as settings from '../../example-app/src/settings.js';

const { readDatabase, readFrench, readHost, readKeys, readLogLevel, readMetricsHost, readMetricsPort, readPort } =
  settings;
const { readRedisUrl, readRequestsPerMinute, readSecret, readShutdownDelay, readTrustProxy } = settings;

type Read = (env: NodeJS.ProcessEnv) => unknown;

const KEYS = [{ kid: 'a', algorithm: 'HS256', secret: 'x'.repeat(32) }];

/** The setting of an unset variable, and of the same variable when it is empty. */
const DEFAULTS: readonly (readonly [Read, name: string, setting: unknown])[] = [
  [readPort, 'PORT', 3000],
  [readHost, 'HOST', '127.0.0.1'],
  [readMetricsPort, 'METRICS_PORT', undefined],
  [readMetricsHost, 'METRICS_HOST', '127.0.0.1'],
  [readLogLevel, 'LOG_LEVEL', 'warn'],
  [readFrench, 'REFUSAL_LANGUAGE', false],
  [readRequestsPerMinute, 'REQUESTS_PER_MINUTE', 6000],
  [readShutdownDelay, 'SHUTDOWN_DELAY_MS', 0],
  [readTrustProxy, 'TRUST_PROXY', false],
  [readSecret, 'JWT_SECRET', undefined],
  [readDatabase, 'DATABASE_URL', undefined],
  [readRedisUrl, 'REDIS_URL', undefined],
  [readKeys, 'JWT_KEYS', undefined],
];

const ACCEPTED: readonly (readonly [Read, env: NodeJS.ProcessEnv, setting: unknown])[] = [
  [readPort, { PORT: '0' }, 0],
  [readPort, { PORT: '65535' }, 65_535],
  [readHost, { HOST: '0.0.0.0' }, '0.0.0.0'],
  [readMetricsPort, { METRICS_PORT: '9464' }, 9464],
  [readMetricsHost, { METRICS_HOST: '0.0.0.0' }, '0.0.0.0'],
  [readLogLevel, { NODE_ENV: 'production' }, 'info'],
  [readLogLevel, { NODE_ENV: 'production', LOG_LEVEL: 'silent' }, 'silent'],
  [readFrench, { REFUSAL_LANGUAGE: 'en' }, false],
  [readFrench, { REFUSAL_LANGUAGE: 'fr' }, true],
  [readFrench, { LANGUAGE: 'fr' }, false],
  [readRequestsPerMinute, { REQUESTS_PER_MINUTE: '1' }, 1],
  [readShutdownDelay, { NODE_ENV: 'production' }, 5000],
  [readShutdownDelay, { NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '0' }, 0],
  [readTrustProxy, { TRUST_PROXY: '2' }, 2],
  [readTrustProxy, { TRUST_PROXY: 'loopback, 10.1.0.0/16,2001:db8::7' }, ['loopback', '10.1.0.0/16', '2001:db8::7']],
  [readSecret, { JWT_SECRET: ' a secret ' }, ' a secret '],
  [readDatabase, { SEED_DEMO: '1' }, undefined],
  [readDatabase, { NODE_ENV: 'production', SEED_DEMO: '1' }, undefined],
  ...(
    [
      ['postgres://app:geheim@db.example:5432/shop', 'postgres', '', false],
      ['postgresql:///shop', 'postgres', '0', false],
      ['mysql://app:geheim@db.example/shop', 'mysql', '1', true],
      ['mariadb://app@[::1]:3307/shop?ssl={}', 'mysql', '', false],
    ] as const
  ).map(([url, kind, SEED_DEMO, seedDemo]) => {
    return [readDatabase, { DATABASE_URL: url, SEED_DEMO }, { kind, url, seedDemo }] as const;
  }),
  [readRedisUrl, { REDIS_URL: 'redis://localhost' }, 'redis://localhost'],
  [readRedisUrl, { REDIS_URL: 'rediss://app:geheim@redis.example:6380/1' }, 'rediss://app:geheim@redis.example:6380/1'],
  [readKeys, { JWT_KEYS: JSON.stringify(KEYS) }, KEYS],
];

const PROXIES =
  'Set it to the addresses or ranges of your proxies, as in 10.0.0.7,10.1.0.0/16, to loopback, or to their number.';

const REFUSED: readonly (readonly [Read, name: string, values: readonly string[], message: string])[] = [
  [
    readPort,
    'PORT',
    ['http', '65536', '-1', '80.5', ' 80', '0x50', '1e3', '/run/app.sock'],
    'PORT must be a whole number from 0 to 65535.',
  ],
  [readMetricsPort, 'METRICS_PORT', ['65536'], 'METRICS_PORT must be a whole number from 0 to 65535.'],
  [readLogLevel, 'LOG_LEVEL', ['INFO'], 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent.'],
  [
    readRequestsPerMinute,
    'REQUESTS_PER_MINUTE',
    ['0', '-1', '1.5', 'many', '9007199254740992'],
    'REQUESTS_PER_MINUTE must be a whole number from 1 to 9007199254740991.',
  ],
  [readShutdownDelay, 'SHUTDOWN_DELAY_MS', ['5s'], 'SHUTDOWN_DELAY_MS must be a whole number from 0 to 600000.'],
  [readTrustProxy, 'TRUST_PROXY', ['true'], `TRUST_PROXY=true lets every caller forge its address. ${PROXIES}`],
  [readTrustProxy, 'TRUST_PROXY', ['0', '11'], 'TRUST_PROXY must be a whole number from 1 to 10.'],
  [
    readTrustProxy,
    'TRUST_PROXY',
    [
      'false',
      'proxy.internal',
      '10.0.0.0/33',
      '0.0.0.0/0',
      '10.0.0.7,',
      '10.0.0.0/8/8',
      '2001:db8::/129',
      '1.0.0.0/7',
      '::ffff:0:0/96',
      '2000::/15',
    ],
    `TRUST_PROXY is wrong. ${PROXIES}`,
  ],
  [readDatabase, 'SEED_DEMO', ['yes'], 'SEED_DEMO must be 1, 0 or unset.'],
  [
    readDatabase,
    'DATABASE_URL',
    [
      'sqlite://geheim',
      'geheim',
      'postgres',
      'postgres://app:ge#heim@db.example/shop',
      'https://app:geheim@db.example',
    ],
    'DATABASE_URL must be a URL like postgres://user:password@localhost:5432/shop, or the same with mysql://. Percent-encode the special characters of the password.',
  ],
  [
    readRedisUrl,
    'REDIS_URL',
    ['localhost:6379', '6379', 'http://app:geheim@redis.example', 'redis://app:ge#heim@x:1'],
    'REDIS_URL must be a URL like redis://localhost:6379, or the same with rediss:// for TLS. Percent-encode the special characters of the password.',
  ],
  [
    readKeys,
    'JWT_KEYS',
    ['geheim', '[{"kid":"a","secret":"geheim"'],
    'JWT_KEYS must be a JSON list of keys: [{"kid":"2026-11","algorithm":"HS256","secret":"..."}].',
  ],
];

describe('example-app: settings', () => {
  for (const [read, name, setting] of DEFAULTS) {
    it(`treats an empty ${name} as unset`, () => {
      for (const env of [{}, { [name]: '' }]) expect(read(env)).to.equal(setting);
    });
  }

  for (const [read, env, setting] of ACCEPTED) {
    it(`accepts ${JSON.stringify(env)}`, () => {
      expect(read(env)).to.deep.equal(setting);
    });
  }

  for (const env of [{}, { DATABASE_URL: '' }, { SEED_DEMO: '0' }]) {
    it(`refuses the demo in memory in production with ${JSON.stringify(env)}, because its passwords are public`, () => {
      expect(() => readDatabase({ ...env, NODE_ENV: 'production' }))
        .to.throw(TypeError)
        .with.property(
          'message',
          'DATABASE_URL is not set. With NODE_ENV=production, the demo in memory needs SEED_DEMO=1, because its passwords are public.',
        );
    });
  }

  for (const [read, name, values, message] of REFUSED) {
    it(`refuses a wrong ${name}, and does not repeat it`, () => {
      for (const value of values) {
        expect(() => read({ [name]: value }), value)
          .to.throw(TypeError)
          .with.property('message', message);
      }
    });
  }
});
