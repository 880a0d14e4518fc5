import http from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'chai';
import fc from 'fast-check';
import type { AuthErrorCode } from '../../src/index.js';
import { answerOf, INVALID_BODY } from './answers.js';

/** The status of an answer, and the `error` of a refusal. */
export type Outcome = '200' | `${number} ${AuthErrorCode}`;

/** The number of generated cases of each property. */
export const REQUESTS = Number(process.env['REQUESTS'] ?? 200);
/** The seed of all runs. fast-check prints it with each failure, together with the path to the failing case. */
export const SEED = 20_260_401;

/** The timeout of a property, in milliseconds. */
export const PROPERTY_TIMEOUT_MS = 120_000 + 100 * REQUESTS;
const ANSWER_TIMEOUT_MS = 60_000;

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer | undefined;
  readonly isChunked?: boolean;
}

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** Creates a client with one connection. A missing answer is an error. */
export function createSender(port: number): (request: Request) => Promise<Reply> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return ({ method, path, headers, body, isChunked = false }) =>
    new Promise((resolve, reject) => {
      const length = ['Content-Length', String(body?.length ?? 0)];
      const framing = isChunked && body !== undefined ? ['Transfer-Encoding', 'chunked'] : length;
      const options = { agent, port, host: '127.0.0.1', method, path, timeout: ANSWER_TIMEOUT_MS };
      const sent = http.request({ ...options, headers: ['Host', 'localhost', ...framing, ...headers.flat()] });
      sent.on('timeout', () => sent.destroy(new Error('There was no answer.')));
      sent.on('error', reject);
      sent.on('response', (response) => {
        const { statusCode: status = 0, headers: received } = response;
        readText(response).then((text) => resolve({ status, headers: received, text }), reject);
      });
      sent.end(body);
    });
}

/**
 * Tries a property on generated cases. Asserts that each of `outcomes` occurred, so that the cases cover them all.
 * @param variant changes the seed, so that suites with the same property get different cases
 */
export async function tryOut<Case>(
  cases: fc.Arbitrary<Case>,
  outcomes: readonly Outcome[],
  property: (generated: Case) => Promise<Outcome>,
  variant: number,
): Promise<void> {
  const met = new Set<Outcome>();
  await fc.assert(
    fc.asyncProperty(cases, async (generated) => {
      met.add(await property(generated));
    }),
    { seed: SEED + variant, numRuns: REQUESTS },
  );
  expect([...met]).to.include.members(outcomes);
}

const STATUSES = [200, 400, 401, 403, 413, 415, 429, 503];

/**
 * Asserts that an answer is JSON in the layout with a documented status, and that it contains none of `secrets`.
 * @param secrets the texts of the request that must not be in the answer
 */
export function outcomeOfReply(reply: Reply, secrets: readonly string[] = []): Outcome {
  const { status, headers, text } = reply;
  expect(status, text).to.be.oneOf(STATUSES);
  expect(headers['content-type'], text).to.equal('application/json; charset=utf-8');
  const body = JSON.parse(text) as Record<string, unknown>;
  if (status === 200) return '200';

  const code = body['error'] as AuthErrorCode;
  const outcome: Outcome = `${status} ${code}`;
  const { expected, headers: named } = answerOf(code);
  expect(outcome === `413 ${INVALID_BODY}` ? 400 : status, outcome).to.equal(expected.code);
  const { errors, description, message, ...layout } = body;
  expect(message, outcome).to.equal(expected.message);
  expect(description, outcome).to.be.a('string').that.is.not.equal('');
  expect(layout).to.deep.equal({ status: 'Error', success: false, code: status, error: body['error'] });
  for (const name of ['WWW-Authenticate', 'Retry-After']) {
    if (name in named) expect(headers[name.toLowerCase()], outcome).to.be.a('string').that.is.not.equal('');
    else expect(headers[name.toLowerCase()], outcome).to.equal(undefined);
  }
  expect(errors, outcome).to.satisfy((value: unknown) => value === undefined || Array.isArray(value));
  const seen = `${text}\n${JSON.stringify(headers)}`;
  for (const secret of secrets) expect(seen.includes(secret), `${secret} in ${seen}`).to.equal(false);
  return outcome;
}
