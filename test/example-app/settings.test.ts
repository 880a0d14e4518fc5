import { expect } from 'chai';
import {
  readDatabase,
  readHost,
  readKeys,
  readLogLevel,
  readMetricsPort,
  readPort,
  readRedisUrl,
  readRequestsPerMinute,
  readSecret,
} from '../../example-app/src/settings.js';

describe('example-app: settings', () => {
  it('uses port 3000 when PORT is unset or empty', () => {
    expect(readPort({})).to.equal(3000);
    expect(readPort({ PORT: '' })).to.equal(3000);
  });

  it('accepts every port number', () => {
    expect(readPort({ PORT: '0' })).to.equal(0);
    expect(readPort({ PORT: '8080' })).to.equal(8080);
    expect(readPort({ PORT: '65535' })).to.equal(65_535);
  });

  for (const PORT of ['http', '65536', '-1', '80.5', ' 80', '0x50', '1e3', '/run/app.sock']) {
    it(`refuses PORT=${JSON.stringify(PORT)}`, () => {
      expect(() => readPort({ PORT })).to.throw(TypeError, /^PORT must be a whole number from 0 to 65535\.$/);
    });
  }

  it('listens on loopback when HOST is unset or empty', () => {
    for (const env of [{}, { HOST: '' }]) expect(readHost(env)).to.equal('127.0.0.1');
    expect(readHost({ HOST: '0.0.0.0' })).to.equal('0.0.0.0');
  });

  it('has no metrics when METRICS_PORT is unset or empty', () => {
    for (const env of [{}, { METRICS_PORT: '' }]) expect(readMetricsPort(env)).to.equal(undefined);
    expect(readMetricsPort({ METRICS_PORT: '9464' })).to.equal(9464);
    expect(() => readMetricsPort({ METRICS_PORT: '65536' })).to.throw(
      TypeError,
      /^METRICS_PORT must be a whole number from 0 to 65535\.$/,
    );
  });

  it('logs each request in production, only failures elsewhere, and what LOG_LEVEL says', () => {
    expect(readLogLevel({})).to.equal('warn');
    expect(readLogLevel({ NODE_ENV: 'production', LOG_LEVEL: '' })).to.equal('info');
    expect(readLogLevel({ NODE_ENV: 'production', LOG_LEVEL: 'silent' })).to.equal('silent');
    expect(() => readLogLevel({ LOG_LEVEL: 'INFO' })).to.throw(
      TypeError,
      /^LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent\.$/,
    );
  });

  it('lets a merchant send 6,000 requests in a minute, or what REQUESTS_PER_MINUTE says', () => {
    expect(readRequestsPerMinute({})).to.equal(6000);
    expect(readRequestsPerMinute({ REQUESTS_PER_MINUTE: '1' })).to.equal(1);
    for (const REQUESTS_PER_MINUTE of ['0', '-1', '1.5', 'many', '9007199254740992']) {
      expect(() => readRequestsPerMinute({ REQUESTS_PER_MINUTE })).to.throw(
        TypeError,
        /^REQUESTS_PER_MINUTE must be a whole number from 1 to 9007199254740991\.$/,
      );
    }
  });

  it('uses the secret unchanged, and treats an empty one as unset', () => {
    expect(readSecret({ JWT_SECRET: ' a secret ' })).to.equal(' a secret ');
    expect(readSecret({ JWT_SECRET: '' })).to.equal(undefined);
    expect(readSecret({})).to.equal(undefined);
  });

  it('keeps accounts in memory when DATABASE_URL is unset or empty, whatever SEED_DEMO says', () => {
    expect(readDatabase({})).to.equal(undefined);
    expect(readDatabase({ DATABASE_URL: '', SEED_DEMO: '1' })).to.equal(undefined);
  });

  for (const [DATABASE_URL, kind] of [
    ['postgres://app:geheim@db.example:5432/shop', 'postgres'],
    ['postgresql:///shop', 'postgres'],
    ['mysql://app:geheim@db.example/shop', 'mysql'],
    ['mariadb://app@[::1]:3307/shop?ssl={}', 'mysql'],
  ] as const) {
    it(`accepts a DATABASE_URL like ${DATABASE_URL}`, () => {
      expect(readDatabase({ DATABASE_URL })).to.deep.equal({ kind, url: DATABASE_URL, seedDemo: false });
    });
  }

  it('adds the demo accounts when SEED_DEMO is 1', () => {
    const DATABASE_URL = 'mysql://localhost/shop';
    expect(readDatabase({ DATABASE_URL, SEED_DEMO: '1' })).to.deep.include({ seedDemo: true });
    for (const SEED_DEMO of ['', '0']) {
      expect(readDatabase({ DATABASE_URL, SEED_DEMO })).to.deep.include({ seedDemo: false });
    }
    expect(() => readDatabase({ DATABASE_URL, SEED_DEMO: 'yes' })).to.throw(
      TypeError,
      /^SEED_DEMO must be 1, 0 or unset\.$/,
    );
  });

  for (const DATABASE_URL of [
    'sqlite://geheim',
    'geheim',
    'postgres',
    'postgres://app:ge#heim@db.example/shop',
    'https://app:geheim@db.example',
  ]) {
    it(`refuses DATABASE_URL=${DATABASE_URL}, and does not repeat it`, () => {
      expect(() => readDatabase({ DATABASE_URL })).to.throw(
        TypeError,
        /^DATABASE_URL must be a URL like postgres:\/\/user:password@localhost:5432\/shop, or the same with mysql:\/\/\. Percent-encode the special characters of the password\.$/,
      );
    });
  }

  it('accepts the URL of a Redis, with and without TLS, and counts in memory without one', () => {
    for (const REDIS_URL of ['redis://localhost', 'rediss://app:geheim@redis.example:6380/1']) {
      expect(readRedisUrl({ REDIS_URL })).to.equal(REDIS_URL);
    }
    expect(readRedisUrl({})).to.equal(undefined);
    expect(readRedisUrl({ REDIS_URL: '' })).to.equal(undefined);
  });

  for (const REDIS_URL of ['localhost:6379', '6379', 'http://app:geheim@redis.example', 'redis://app:ge#heim@x:1']) {
    it(`refuses REDIS_URL=${REDIS_URL}, and does not repeat it`, () => {
      expect(() => readRedisUrl({ REDIS_URL })).to.throw(
        TypeError,
        /^REDIS_URL must be a URL like redis:\/\/localhost:6379, or the same with rediss:\/\/ for TLS\. Percent-encode the special characters of the password\.$/,
      );
    });
  }

  it('accepts a key ring as JSON, and has none when JWT_KEYS is unset or empty', () => {
    const keys = [{ kid: 'a', algorithm: 'HS256', secret: 'x'.repeat(32) }];
    expect(readKeys({ JWT_KEYS: JSON.stringify(keys) })).to.deep.equal(keys);
    expect(readKeys({ JWT_KEYS: '' })).to.equal(undefined);
    expect(readKeys({})).to.equal(undefined);
  });

  it('refuses a key ring that is not JSON, and does not repeat it', () => {
    for (const JWT_KEYS of ['geheim', '[{"kid":"a","secret":"geheim"']) {
      expect(() => readKeys({ JWT_KEYS })).to.throw(
        TypeError,
        /^JWT_KEYS must be a JSON list of keys: \[\{"kid":"2026-11","algorithm":"HS256","secret":"\.\.\."\}\]\.$/,
      );
    }
  });
});
