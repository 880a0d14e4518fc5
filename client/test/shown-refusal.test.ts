import { expect } from 'chai';
import { INVALID_BODY } from '../../test/helpers/answers.js';
import { shownRefusal } from '../src/shown-refusal.js';

const PASSWORD = 's3cret/pass+word "é" >>>>??? 2026';
const BYTES = Buffer.from(PASSWORD);

/** Returns what is kept of a refusal. */
const shown = (body: unknown, password = PASSWORD): unknown => JSON.parse(shownRefusal(JSON.stringify(body), password));

describe('A refused login', () => {
  it('keeps the texts that people read, in any layout, with stars for the password', () => {
    const texts = {
      error: INVALID_BODY,
      code: 'E-17',
      message: 'Refusé : 100 % de A & B\\C, voir https://api.example/aide%20login',
      detail: "L&#039;adresse n'est pas autorisée.",
      title: 'Not authorized',
    };
    const field = { field: 'password', rule: 'format' };
    const body = {
      ...texts,
      description: `Bad: ${PASSWORD}.`,
      errors: [
        { ...field, message: `Not ${PASSWORD}`, value: PASSWORD },
        `Wrong: ${PASSWORD}`,
        { path: ['password'] },
        17,
      ],
    };
    expect(shown({ ...body, status: 'Error', success: false, input: { password: PASSWORD } })).to.deep.equal({
      ...texts,
      description: 'Bad: ***.',
      errors: [{ ...field, message: 'Not ***' }, 'Wrong: ***', {}, {}],
    });
  });

  for (const [title, body] of [
    ['text', 'password=baobab-2026'],
    ['a list', [{ description: 'baobab-2026' }]],
    [
      'texts of other types',
      { message: 17, description: { text: 'baobab' }, title: null, code: 401, errors: 'baobab' },
    ],
    ['empty texts', { message: '', description: '' }],
    ['a dictionary of errors', { errors: { email: ['baobab'] } }],
  ] as const) {
    it(`keeps nothing of ${title}`, () => expect(shown(body)).to.deep.equal({}));
  }

  it('keeps texts of at most 500 characters, and 20 errors', () => {
    const message = 'm'.repeat(500);
    const errors = Array.from({ length: 21 }, (_, index) => String(index));
    expect(shown({ message, title: `${message}m`, errors })).to.deep.equal({ message, errors: errors.slice(0, 20) });
  });

  const base64 = (before: string, after: string) => Buffer.from(before + PASSWORD + after).toString('base64');
  for (const [title, echo] of [
    ['percent escapes', encodeURIComponent(PASSWORD)],
    ['lower-case percent escapes of all bytes', BYTES.toString('hex').replaceAll(/../g, '%$&')],
    ['a form', String(new URLSearchParams({ password: PASSWORD }))],
    ['JSON', JSON.stringify({ password: PASSWORD })],
    ['JSON of ASCII', JSON.stringify(PASSWORD).replaceAll('é', '\\u00E9')],
    ['JSON of PHP', JSON.stringify(PASSWORD).replaceAll('/', '\\/')],
    ['JSON escapes of all characters', Array.from(PASSWORD, (c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')],
    ['base64', base64('', '')],
    ['base64url', Buffer.from(`x${PASSWORD}`).toString('base64url')],
    ['base64 after an email and a colon', `Basic ${base64('awa@boutique.example:', '')}`],
    ['base64 after one byte', base64('a', 'zz')],
    ['base64 after two bytes', `token=x${base64('ab', 'z')}`],
    ['base64 in lines', base64('-'.repeat(50), '-').replaceAll(/.{76}/g, '$&\r\n')],
  ] as const) {
    it(`leaves out a text that repeats the password in ${title}`, () => {
      expect(shown({ message: `Got ${echo}`, description: echo, title: 'Refused', errors: [echo] })).to.deep.equal({
        title: 'Refused',
        errors: [],
      });
    });
  }

  it('leaves out escapes of control characters and of characters beyond the first plane', () => {
    for (const password of ['bao\nbab\t2026', 'baobab \u{1F333} 2026']) {
      const ascii = JSON.stringify(password).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
      for (const echo of [ascii, encodeURIComponent(password), Buffer.from(password).toString('base64')]) {
        expect(shown({ message: echo }, password), echo).to.deep.equal({});
      }
    }
  });
});
