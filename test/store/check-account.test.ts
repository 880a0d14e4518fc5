import vm from 'node:vm';
import { expect } from 'chai';
import { accountProblem, checkCredentials, readAccountOf } from '../../src/store/check-account.js';
import type { MerchantAccount } from '../../src/store/user-store.js';
import { AWA, FERMEE } from '../helpers/accounts.js';
import { MALFORMED_ACCOUNT } from '../helpers/answers.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';

const NO_ACCOUNT = 'no account object (return null when there is none)';
const FILLED = 'a non-empty string';

/** A broken rule: the member, the values that break the rule, and the correct value in words. */
type Broken = readonly [member: string, values: readonly unknown[], promise: string];

const GUARDED: readonly Broken[] = [
  ['id', [undefined, null, '', 1, 0, 1n, ['1'], {}], `${FILLED} (for an integer key: String(id))`],
  ['marchand.referencl', [undefined, null, '', 1001, ['BTQ-1001'], {}], FILLED],
  [
    'disabled',
    [undefined, null, 0, 1, 'false', ''],
    "a boolean (for a number or a text: disabled: String(row.blocked) !== '0', or Number(row.active) !== 1)",
  ],
  [
    'disabled',
    [Buffer.from([0]), Buffer.from([1]), new Uint8Array(1)],
    'a boolean (a BIT column is a Buffer: disabled: row.blocked[0] !== 0, or row.active[0] !== 1)',
  ],
  [
    'tokensValidAfter',
    [new Date(NaN), '2026-01-15', 1_768_478_400, '', 0, false, {}, { getTime: () => 0 }],
    'a valid Date, null or absent',
  ],
  [
    'allowedSources',
    ['203.0.113.7', ['010.1.1.1'], [1], {}, '', 0, false, new Set(['203.0.113.7'])],
    'a list of addresses and CIDR ranges, null or absent (for a text column: split it)',
  ],
];

const AT_LOGIN: readonly Broken[] = [
  ['email', [undefined, null, '', 5, ['awa@boutique.example']], FILLED],
  ['phone', [undefined, null, 2_250_700_000_001, []], 'a string'],
  ['marchand.statut', [undefined, null, '1', 1.5, NaN, Infinity, 1n, true], 'an integer'],
];

/** Awa's account with another value of one member. */
function withMember(member: string, value: unknown): unknown {
  const [name, inner] = member.split('.') as [keyof MerchantAccount, string?];
  return { ...AWA, [name]: inner === undefined ? value : { ...AWA.marchand, [inner]: value } };
}

/** Asserts the 500 whose `detail` tells the host what to change. The caller gets nothing of it. */
function expectMalformed(call: () => unknown, message: string): void {
  const error = expectAuthError(thrownBy(call), MALFORMED_ACCOUNT);
  expect(error.status).to.equal(500);
  expect(error.detail).to.equal(message);
  expect(error.cause).to.be.instanceOf(TypeError).with.property('message', message);
  expect(error.headers).to.deep.equal({});
  expect(JSON.stringify(error)).to.equal(
    `{"status":"Error","success":false,"code":500,"error":"${MALFORMED_ACCOUNT}","message":"Service misconfigured",` +
      '"description":"The service is misconfigured. Tell its operator."}',
  );
}

describe('accountProblem', () => {
  it('returns nothing for an account that keeps the contract', () => {
    const statuts = [0, -1, 5, Number.MAX_SAFE_INTEGER].map((statut) => ({ ...AWA.marchand, statut }));
    const accounts: unknown[] = [
      AWA,
      FERMEE,
      { ...AWA, phone: '' },
      { ...AWA, tokensValidAfter: null },
      { ...AWA, tokensValidAfter: undefined },
      { ...AWA, tokensValidAfter: new Date(0) },
      { ...AWA, tokensValidAfter: vm.runInNewContext('new Date(0)') as Date },
      { ...AWA, passwordHash: 5, further: null },
      ...[null, undefined, [], ['203.0.113.7', '2001:db8::/48']].map((allowedSources) => ({ ...AWA, allowedSources })),
      ...statuts.map((marchand) => ({ ...AWA, marchand })),
    ];
    for (const account of accounts) expect(accountProblem(account)).to.equal(undefined);
  });

  it('has a rule for each member of an account, so that a new one is not forgotten', () => {
    const members = [...Object.keys(AWA), ...Object.keys(AWA.marchand).map((name) => `marchand.${name}`)];
    const unchecked = members.filter((member) => accountProblem(withMember(member, {})) === undefined);
    expect(unchecked).to.deep.equal([]);
  });

  it('accepts instances of an ORM, whose members are getters of a prototype', () => {
    const prototype = {};
    for (const [name, value] of Object.entries(AWA)) {
      Object.defineProperty(prototype, name, { get: () => value as unknown });
    }
    const row: unknown = Object.create(prototype);
    readAccountOf(row, AWA.id);
    checkCredentials({ account: row, passwordHash: null });
  });

  it('says that there is no account object, and treats a list of rows as an account without a reference', () => {
    for (const value of [undefined, null, false, 1, '1', () => AWA]) expect(accountProblem(value)).to.equal(NO_ACCOUNT);
    const problem = `an account whose marchand.referencl is not ${FILLED}`;
    for (const value of [[], [AWA]]) expect(accountProblem(value)).to.equal(problem);
  });
});

describe('checkCredentials', () => {
  it('accepts an account with a hash, or without, and null for no account', () => {
    checkCredentials(null);
    checkCredentials({ account: AWA, passwordHash: '$argon2id$' });
    checkCredentials({ account: FERMEE, passwordHash: null });
    checkCredentials({ account: AWA, passwordHash: '' });
  });

  it('refuses a value without an account', () => {
    const message = `UserStore.findCredentials returned ${NO_ACCOUNT}.`;
    for (const value of [undefined, false, 0, 5, '', 'account', [], {}, AWA, { account: null, passwordHash: null }]) {
      expectMalformed(() => checkCredentials(value), message);
    }
  });

  for (const [member, values, promise] of [...GUARDED, ...AT_LOGIN]) {
    it(`names ${member} when it is not ${promise}, and so does the guard if it uses it`, () => {
      const problem = `returned an account whose ${member} is not ${promise}.`;
      for (const value of values) {
        const account = withMember(member, value);
        const credentials = { account, passwordHash: null };
        expectMalformed(() => checkCredentials(credentials), `UserStore.findCredentials ${problem}`);
        if (AT_LOGIN.some(([name]) => name === member)) readAccountOf(account, AWA.id);
        else expectMalformed(() => readAccountOf(account, AWA.id), `UserStore.findById ${problem}`);
      }
    });
  }

  it('names the first member of a missing marchand, for the guard too', () => {
    const problem = `returned an account whose marchand.referencl is not ${FILLED}.`;
    for (const marchand of [undefined, null, 1, 'BTQ-1001', []]) {
      const account = { ...AWA, marchand };
      expectMalformed(() => checkCredentials({ account, passwordHash: null }), `UserStore.findCredentials ${problem}`);
      expectMalformed(() => readAccountOf(account, AWA.id), `UserStore.findById ${problem}`);
    }
  });

  it('names a passwordHash that is neither a string nor null, after the account', () => {
    const message = 'UserStore.findCredentials returned a passwordHash that is neither a string nor null.';
    for (const passwordHash of [undefined, 0, false, {}, Buffer.from('$argon2id$')]) {
      expectMalformed(() => checkCredentials({ account: AWA, passwordHash, identifier: 7 }), message);
    }
    expectMalformed(
      () => checkCredentials({ account: { ...AWA, phone: 5 }, identifier: 7 }),
      'UserStore.findCredentials returned an account whose phone is not a string.',
    );
  });

  it('names an identifier that is there and is not a non-empty string', () => {
    for (const identifier of [undefined, 'awa', ' '])
      checkCredentials({ account: AWA, passwordHash: null, identifier });
    const message = 'UserStore.findCredentials returned an identifier that is not a non-empty string.';
    for (const identifier of ['', null, 0, 7, 7n, true, {}, ['awa'], Object('awa') as unknown]) {
      expectMalformed(() => checkCredentials({ account: AWA, passwordHash: null, identifier }), message);
    }
  });
});

describe('an account with a member that throws when it is read', () => {
  const cause = new Error('lazy loading failed');
  const throwing = (name: string) =>
    Object.defineProperty({ ...AWA }, name, {
      get() {
        throw cause;
      },
    });

  function expectUnreadable(call: () => unknown, method: string): void {
    const error = expectAuthError(thrownBy(call), MALFORMED_ACCOUNT);
    expect(error.detail).to.equal(`UserStore.${method} returned an account with a member that throws when it is read.`);
    expect(error.cause).to.equal(cause);
  }

  it('is malformed at login, and for the guard if the guard reads it', () => {
    for (const name of ['id', 'marchand', 'disabled', 'tokensValidAfter', 'allowedSources', 'email', 'phone']) {
      const account = throwing(name);
      expectUnreadable(() => checkCredentials({ account, passwordHash: null }), 'findCredentials');
      const read = () => readAccountOf(account, '1');
      if (['email', 'phone'].includes(name)) expect(read()).to.include({ id: '1' });
      else expectUnreadable(read, 'findById');
    }
  });
});

describe('readAccountOf', () => {
  it('returns the members of the requested account, and null for none', () => {
    expect(readAccountOf(null, '1')).to.equal(null);
    const { referencl } = AWA.marchand;
    expect(readAccountOf(AWA, '1')).to.deep.equal({
      id: '1',
      marchand: { referencl },
      disabled: false,
      tokensValidAfter: null,
      allowedSources: null,
    });
    expect(readAccountOf(FERMEE, '3')).to.include({ id: '3', disabled: true });
    const tokensValidAfter = new Date(0);
    expect(readAccountOf({ ...AWA, tokensValidAfter }, '1')).to.include({ tokensValidAfter });
  });

  it('reads each member once, because a getter can give another value the second time', () => {
    const reads: string[] = [];
    const recorded = (object: object, path = ''): unknown =>
      new Proxy(object, {
        get(target, name) {
          reads.push(`${path}${String(name)}`);
          const value: unknown = Reflect.get(target, name);
          return name === 'marchand' ? recorded(value as object, 'marchand.') : value;
        },
      });
    readAccountOf(recorded({ ...AWA, tokensValidAfter: new Date(0) }), '1');
    expect(reads.sort()).to.deep.equal([
      'allowedSources',
      'disabled',
      'id',
      'marchand',
      'marchand.referencl',
      'tokensValidAfter',
    ]);
  });

  it('refuses a value that is not an account', () => {
    for (const value of [undefined, false, 0, '', '1']) {
      expectMalformed(() => readAccountOf(value, '1'), `UserStore.findById returned ${NO_ACCOUNT}.`);
    }
  });

  it('refuses an account with another id', () => {
    const message = 'UserStore.findById returned an account with an id other than that asked for.';
    for (const id of ['2', '01', '1 ', '', 'a']) expectMalformed(() => readAccountOf(AWA, id), message);
    expectMalformed(() => readAccountOf({ ...AWA, id: 'A' }, 'a'), message);
  });
});
