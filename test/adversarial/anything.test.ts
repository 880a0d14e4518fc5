import { expect } from 'chai';
import fc from 'fast-check';
import { PASSWORD } from '../helpers/accounts.js';
import { INVALID_BODY, INVALID_TOKEN, UNREADABLE_BODY } from '../helpers/answers.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { createSender, outcomeOfReply, PROPERTY_TIMEOUT_MS, tryOut } from '../helpers/trials.js';

const FOREIGN = 'CNT-1002';

/** The values that a header can have (RFC 9110 section 5.5), without white space at the ends. */
const headerValues = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 30 })
  .map((text) => text.replace(/[\x7f-\x9f]/g, '').trim());
const JSON_ENDS = [
  '',
  ';',
  '; charset',
  '; charset="utf-8',
  ', text/plain',
  ';charset=utf-8;charset=latin1',
  '\t; a=b',
];
const contentTypes = fc.oneof(
  fc.constantFrom(...JSON_ENDS.map((end) => `application/json${end}`)),
  fc.constantFrom('utf-7', 'utf-16', 'utf-32').map((charset) => `application/json; charset=${charset}`),
  fc.constantFrom('json', '/json', '+json', 'application/+json', 'text/json'),
  fc.constantFrom('application/x-www-form-urlencoded', 'multipart/form-data'),
  headerValues,
);
const encodings = fc.constantFrom('gzip', 'deflate', 'br', 'identity', 'gzip, gzip', 'GZIP', '', 'x-gzip', 'zz');
const payloads = fc.oneof(
  fc.constantFrom(
    `{"refercence_cl":"${FOREIGN}"}`,
    `[{"refercence_cl":"${FOREIGN}"}]`,
    `\ufeff{"refercence_cl":"${FOREIGN}"}`,
    `{"email":"awa@boutique.example","password":"${PASSWORD}"}`,
    `{"email":"awa@boutique.example","email":"x","password":"${PASSWORD}"}`,
    `refercence_cl=${FOREIGN}`,
    '',
    '\0',
  ),
  fc.json(),
  fc.string({ unit: 'binary' }),
);
const queries = fc.oneof(
  fc.constantFrom('', `refercence_cl=${FOREIGN}`, `%refercence_cl=${FOREIGN}`, 'a=%', '%ff=%ff', '&&==', 'a[[]]]=1'),
  fc.string({ unit: fc.constantFrom(...Array.from('abref_cl[]=&%+;.,!$()*@:/?~-0')), maxLength: 30 }),
);
const authorizations = fc.oneof(
  { arbitrary: fc.constant('good' as const), weight: 4 },
  fc.constant(undefined),
  headerValues,
  headerValues.map((value) => `Bearer ${value}`),
);

const requests = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'),
  path: fc.constantFrom('login', 'guarded', 'transactions', 'merchants/BTQ-1001', `merchants/${FOREIGN}`),
  query: queries,
  authorization: authorizations,
  types: fc.array(contentTypes, { maxLength: 2 }),
  encoding: fc.option(encodings, { freq: 2 }),
  others: fc.array(
    fc.tuple(
      fc.constantFrom('Accept', 'X-Forwarded-For', 'Forwarded', 'Cookie', 'If-None-Match', 'X-HTTP-Method-Override'),
      headerValues,
    ),
    { maxLength: 2 },
  ),
  payload: payloads,
  charset: fc.constantFrom<BufferEncoding>('utf8', 'utf8', 'latin1', 'utf16le'),
  isChunked: fc.boolean(),
});

onEachExpress('any request', (framework) => {
  it('is answered at once, in the layout, with a documented status, and never passes with a foreign reference', async function () {
    this.timeout(PROPERTY_TIMEOUT_MS);
    const { client, awa } = await servePayments(framework, {
      login: {
        throttle: false,
        passwords: Object.assign(framework.auth.createPasswords(), { compare: () => Promise.resolve(false) }),
      },
    });
    const send = createSender(client.port);

    await tryOut(
      requests,
      ['200', `400 ${INVALID_BODY}`, `401 ${INVALID_TOKEN}`, `415 ${UNREADABLE_BODY}`],
      async (sent) => {
        const { method, path, query, authorization, types, encoding, others, payload, charset, isChunked } = sent;
        const value = authorization === 'good' ? awa.Authorization : authorization;
        const reply = await send({
          // Express or the host answers the other methods on the path of the login.
          method: path === 'login' ? 'POST' : method,
          path: `/v1/${path}?${query}`,
          headers: [
            ...(value === undefined ? [] : [['Authorization', value] as const]),
            ...types.map((type) => ['Content-Type', type] as const),
            ...(encoding === null ? [] : [['Content-Encoding', encoding] as const]),
            ...others,
          ],
          body: payload === '' ? undefined : Buffer.from(payload, charset),
          isChunked,
        });
        const outcome = outcomeOfReply(reply, [awa.Authorization, PASSWORD, FOREIGN]);
        if (outcome === '200') {
          expect(authorization).to.equal('good');
          const isSeen = charset === 'utf8' || types[0]?.includes('utf-16') === true;
          expect(`${path} ${isSeen ? payload : ''}`).not.to.contain(FOREIGN);
        }
        return outcome;
      },
      framework.major,
    );
  });
});
