import { expect } from 'chai';
import fc from 'fast-check';
import { AWA } from '../helpers/accounts.js';
import { type Coding, codings, encodingHeader, formText, nest, textOf } from './bodies.js';
import {
  FOREIGN_REFERENCE,
  INVALID_BODY,
  INVALID_REFERENCE,
  MISSING_REFERENCE,
  UNREADABLE_BODY,
} from '../helpers/answers.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import {
  type BodyCase,
  FIELD,
  type FormField,
  type Member,
  type Outcome,
  OWN,
  referenceOutcomes,
  type Tree,
} from '../helpers/oracle.js';
import { servePayments } from '../helpers/payments.js';
import { HOST_NAMES, renamed } from '../helpers/renamed.js';
import { createSender, outcomeOf, PROPERTY_TIMEOUT_MS, tryOut } from '../helpers/trials.js';

const BODY_LIMIT = 4096;
const OTHERS = ['CNT-1002', `${OWN} `, ` ${OWN}`, OWN.toLowerCase(), `${OWN}\0`, 'BTQ\u20101001', 'ZQ-999', ''];

const references = fc.oneof(
  { arbitrary: fc.constant(OWN), weight: 20 },
  { arbitrary: fc.constantFrom(...OTHERS, '', ''), weight: 3 },
);

// ---- JSON -----------------------------------------------------------------------------------------------------------

const scalars: fc.Arbitrary<Tree> = fc
  .oneof(fc.constantFrom(OWN, 'ZQ-999', null, true, 5), fc.string({ maxLength: 3 }), fc.double({ noNaN: true }))
  .map((value) => ({ kind: 'scalar', value }));
const texts: fc.Arbitrary<Tree> = references.map((value) => ({ kind: 'scalar', value }));
const keys = fc.oneof(
  { arbitrary: fc.constantFrom('items', 'meta', '__proto__', 'constructor', 'a', '0', 'length', 'toJSON'), weight: 30 },
  { arbitrary: fc.constantFrom('Refercence_cl', 'reference_cl', 'refercence_cl ', 'xrefercence_cl'), weight: 8 },
  { arbitrary: fc.constantFrom(`${FIELD}[`, `${FIELD}[]`, `${FIELD}[a]`), weight: 1 },
  { arbitrary: fc.string({ maxLength: 4 }), weight: 4 },
);
/** A member that takes a body over the limit. */
const PADDING: Member = { key: 'padding', value: { kind: 'scalar', value: 'x'.repeat(BODY_LIMIT) }, isEscaped: false };
const { tree } = fc.letrec<{ tree: Tree; array: Tree; object: Tree; member: Member; misfit: Tree }>((tie) => ({
  tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalars, tie('array'), tie('object')),
  array: fc.array(tie('tree'), { maxLength: 3 }).map((items) => ({ kind: 'array', items })),
  object: fc
    .uniqueArray(tie('member'), { selector: ({ key }) => key, maxLength: 4 })
    .map((members) => ({ kind: 'object', members })),
  member: fc.oneof(
    {
      arbitrary: fc.record({
        key: fc.constant(FIELD),
        value: fc.oneof({ arbitrary: texts, weight: 5 }, { arbitrary: tie('misfit'), weight: 1 }),
        isEscaped: fc.boolean(),
      }),
      weight: 2,
    },
    { arbitrary: fc.record({ key: keys, value: tie('tree'), isEscaped: fc.boolean() }), weight: 3 },
  ),
  misfit: fc.oneof<fc.WeightedArbitrary<Tree>[]>(
    {
      arbitrary: fc.constantFrom<Tree>(
        { kind: 'scalar', value: 1001 },
        { kind: 'scalar', value: 0 },
        { kind: 'scalar', value: null },
        { kind: 'scalar', value: false },
        { kind: 'array', items: [{ kind: 'scalar', value: OWN }] },
      ),
      weight: 8,
    },
    { arbitrary: tie('object'), weight: 1 },
  ),
}));
const documents = fc
  .tuple(tree, fc.oneof({ arbitrary: fc.constant(0), weight: 2 }, fc.integer({ min: 1, max: 400 })), fc.nat(12))
  .map(([value, depth, die]): Tree => {
    const nested = nest(value, depth);
    const field: Member = { key: FIELD, value: { kind: 'scalar', value: OWN }, isEscaped: die % 2 === 0 };
    // The reference is where handlers look, so that a request to requireOwnReference can pass too.
    if (die === 0) return { kind: 'object', members: [field, PADDING] };
    return die > 5 ? { kind: 'object', members: [field, { key: 'b', value: nested, isEscaped: false }] } : nested;
  });

// ---- queries and forms ----------------------------------------------------------------------------------------------

const fields: fc.Arbitrary<FormField> = fc.oneof(
  {
    arbitrary: fc.record({
      outer: fc.constant([]),
      isBracketed: fc.constant(false),
      name: fc.constant(FIELD),
      suffix: fc.oneof({ arbitrary: fc.constant(''), weight: 12 }, fc.constantFrom('[]', '[0]', '[a]', '[', '[][a]')),
      value: references,
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      outer: fc.array(fc.constantFrom('a', 'filter', '0', 'items', 'constructor'), { maxLength: 8 }),
      isBracketed: fc.boolean(),
      name: fc.constantFrom('page', 'Refercence_cl', 'reference_cl', 'x', FIELD),
      suffix: fc.constantFrom('', '', '[]', '[a]'),
      value: references,
    }),
    weight: 2,
  },
);
/** A plain field of the name has no outer and no brackets; the second kind may come out as one. */
const forms = fc.array(fields, { maxLength: 3 });

// ---- the rest of the request ----------------------------------------------------------------------------------------

interface Sent {
  readonly type: string | undefined;
  /** Writes the body, with a name in the place of `refercence_cl`. */
  readonly text: (name: string) => string;
  /** The expected result of reading the body, if it can be decoded. */
  readonly content: BodyCase;
}

const JSON_TYPES = ['application/json', 'Application/JSON; charset=UTF-8'];
const SUFFIX_TYPES = ['application/vnd.api+json', 'application/problem+json; charset="utf-8"'];
const FORM_TYPE = 'application/x-www-form-urlencoded';
const LATIN_TYPE = 'application/json; charset=iso-8859-1';
const INVALID: Outcome = `400 ${INVALID_BODY}`;
const UNREADABLE: Outcome = `415 ${UNREADABLE_BODY}`;

const BROKEN: BodyCase = { kind: 'refused', outcomes: [INVALID], isEarly: false };

const bodies: fc.Arbitrary<Sent> = fc.oneof(
  {
    arbitrary: fc
      .tuple(fc.constantFrom(...JSON_TYPES, ...JSON_TYPES, ...SUFFIX_TYPES), documents)
      .map(([type, document]) => ({
        type,
        text: (name: string) => textOf(document, name),
        content: document.kind === 'scalar' ? BROKEN : { kind: 'tree' as const, tree: document },
      })),
    weight: 12,
  },
  {
    arbitrary: fc.tuple(forms, fc.boolean()).map(([all, isEncoded]) => ({
      type: FORM_TYPE,
      text: (name: string) => formText(all, isEncoded, name),
      content: formCase(all),
    })),
    weight: 4,
  },
  { arbitrary: fc.constant({ type: undefined, text: () => '', content: { kind: 'none' as const } }), weight: 8 },
  {
    arbitrary: fc
      .tuple(fc.constantFrom('text/plain', 'multipart/form-data; boundary=x', 'application/xml', undefined), documents)
      .map(([type, document]) => ({ type, text: (name: string) => textOf(document, name), content: BROKEN })),
    weight: 1,
  },
  {
    arbitrary: fc
      .tuple(fc.constantFrom(...JSON_TYPES), fc.constantFrom('{', '{"a":', `{"${FIELD}":"ZQ-999"`, 'x', '[1,]', '{}{}'))
      .map(([type, text]) => ({ type, text: (name: string) => renamed(text, name), content: BROKEN })),
    weight: 1,
  },
  {
    arbitrary: fc.constant({ type: LATIN_TYPE, text: (name: string) => `{"${name}":"ZQ-999"}`, content: BROKEN }),
    weight: 1,
  },
);
const requests = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  route: fc.constantFrom('guarded', 'transactions', 'transactions', 'merchants'),
  param: fc.oneof(
    { arbitrary: fc.constant(OWN), weight: 8 },
    fc.constantFrom(...OTHERS.filter((value) => value !== '')),
  ),
  query: fc.oneof({ arbitrary: fc.constant<FormField[]>([]), weight: 2 }, forms),
  isEncoded: fc.boolean(),
  body: bodies,
  coding: codings,
  isChunked: fc.boolean(),
});

function formCase(all: readonly FormField[]): BodyCase {
  return all.length === 0 ? { kind: 'none' } : { kind: 'form', fields: all };
}

/** Predicts how the check treats a body, behind parsers of the host or without any. */
function received(
  { type, content }: Sent,
  text: string,
  coding: Coding,
  hasParsers: boolean,
  showsEmpty: boolean,
): BodyCase {
  if (text === '') return { kind: 'none' };
  const isForm = type === FORM_TYPE;
  const isJson = JSON_TYPES.includes(type ?? '') || type === LATIN_TYPE;
  const isEarly = hasParsers && (isForm || isJson);
  if (!isEarly && !isJson && !SUFFIX_TYPES.includes(type ?? '')) {
    return { kind: 'refused', outcomes: [UNREADABLE], isEarly: false };
  }
  const outcomes: Outcome[] = [];
  if (coding.name === 'zz' || type === LATIN_TYPE) outcomes.push(isEarly ? UNREADABLE : INVALID);
  else if (!coding.isReadable) outcomes.push(INVALID);
  if (Buffer.byteLength(text) > BODY_LIMIT) outcomes.push(isEarly ? `413 ${INVALID_BODY}` : INVALID);
  if (outcomes.length > 0 || content.kind === 'refused') {
    return { kind: 'refused', outcomes: outcomes.length > 0 ? outcomes : [INVALID], isEarly };
  }
  const isEmpty = content.kind === 'tree' && content.tree.kind === 'object' && content.tree.members.length === 0;
  // A parser leaves the same `{}` when it skips a body.
  if (isEmpty && isEarly && !showsEmpty) return { kind: 'refused', outcomes: [UNREADABLE], isEarly: false };
  return content;
}

const ALWAYS_MET: readonly Outcome[] = [
  '200',
  INVALID,
  `400 ${INVALID_REFERENCE}`,
  `400 ${MISSING_REFERENCE}`,
  `403 ${FOREIGN_REFERENCE}`,
  UNREADABLE,
];

const HOSTS = [
  { hasParsers: false, names: [FIELD] },
  { hasParsers: true, names: [FIELD] },
  { hasParsers: false, names: HOST_NAMES },
  { hasParsers: true, names: HOST_NAMES },
] as const;

onEachExpress('any request with a good token', (framework) => {
  const { express } = framework;

  /** Serves a host behind parsers of JSON and forms, or without a parser in front. */
  async function serveHost({ hasParsers, names }: (typeof HOSTS)[number]) {
    const parsers = [express.json({ limit: BODY_LIMIT }), express.urlencoded({ extended: true, limit: BODY_LIMIT })];
    const takesNumbers = names === HOST_NAMES;
    const { client, awa } = await servePayments(framework, {
      guard: { bodyLimit: BODY_LIMIT, ...(takesNumbers && { referenceNames: names }) },
      parameter: names[0],
      before: hasParsers ? parsers : [],
    });
    return { hasParsers, names, takesNumbers, awa, send: createSender(client.port) };
  }

  it('passes only if each reference in it is the own one, and a refusal never repeats it', async function () {
    this.timeout(PROPERTY_TIMEOUT_MS);
    const hosts = await Promise.all(HOSTS.map(serveHost));
    const named = fc
      .constantFrom(...hosts)
      .chain((host) => fc.tuple(fc.constant(host), fc.constantFrom(...host.names)));

    await tryOut(
      fc.tuple(requests, named),
      ALWAYS_MET,
      async ([{ method, route, param, query, isEncoded, body, coding, isChunked }, [host, name]]) => {
        const { hasParsers, names, takesNumbers, awa, send } = host;
        const text = body.text(name);
        const path = route === 'merchants' ? `merchants/${encodeURIComponent(param)}` : route;
        const contentType: [string, string][] = body.type === undefined ? [] : [['Content-Type', body.type]];
        const hasBody = text !== '';
        const reply = await send({
          method,
          path: `/v1/${path}?${formText(query, isEncoded, name)}`,
          headers: [...Object.entries(awa), ...contentType, ...(hasBody ? encodingHeader(coding) : [])],
          body: hasBody ? coding.encode(Buffer.from(text, 'utf8')) : undefined,
          isChunked,
        });

        // body-parser 1 marks a body that it has read. Without the mark, the length shows that nothing is left.
        const showsEmpty = framework.major === 4 || (!isChunked && coding.name === undefined && text.length < 10);
        const expected = referenceOutcomes({
          method,
          param: route === 'merchants' ? param : undefined,
          query,
          body: received(body, text, coding, hasParsers, showsEmpty),
          takesNumbers,
          isDemanded: route !== 'guarded',
        });
        const secrets = [OWN, 'CNT-1002', 'ZQ-999', awa.Authorization.slice('Bearer '.length)];
        const outcome = outcomeOf(reply, secrets, names);
        expect(outcome, reply.text).to.be.oneOf(expected);
        if (outcome === '200') {
          expect(JSON.parse(reply.text)).to.include({ id: AWA.id, referencl: OWN });
        }
        return outcome;
      },
      framework.major,
    );
  });
});
