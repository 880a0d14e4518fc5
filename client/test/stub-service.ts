import { createMerchantClient, type LoginSuccess, type MerchantClientOptions } from '../src/index.js';
import { schemas } from '../../src/openapi/schemas.js';
import { INVALID_TOKEN } from '../../test/helpers/answers.js';

/** The options of a client of `stubService`, but for its `fetch`. */
export const ACCOUNT = {
  baseUrl: 'https://api.example/v1',
  email: 'awa@boutique.example',
  password: 'baobab-2026',
} satisfies MerchantClientOptions;

/** A request as `fetch` got it. */
export interface Sent {
  readonly input: string | Request;
  readonly init: RequestInit;
  readonly token: string | undefined;
}

type Respond = (sent: Sent) => Response | Promise<Response>;

/** A service without a network. A test can replace its answers. */
export interface StubService {
  readonly fetch: (input: string | Request, init?: RequestInit) => Promise<Response>;
  readonly logins: Sent[];
  readonly calls: Sent[];
  /** The tokens that the service accepts. Each login adds one: `token-1`, `token-2` and so on. */
  readonly live: Set<string>;
  answerLogin: Respond;
  answerCall: Respond;
  /** Makes an answer in JSON. */
  answer: (status: number, body: unknown, headers?: Readonly<Record<string, string>>) => Response;
  /** Makes the answer to a successful login, with another token. */
  readonly success: () => Response;
}

export function stubService(): StubService {
  let issued = 0;
  const service: StubService = {
    async fetch(input, init = {}) {
      const url = typeof input === 'string' ? input : input.url;
      const token = new Headers(init.headers).get('Authorization')?.replace('Bearer ', '');
      const sent = { input, init, token };
      const isLogin = url.endsWith('/login');
      (isLogin ? service.logins : service.calls).push(sent);
      return (isLogin ? service.answerLogin : service.answerCall)(sent);
    },
    logins: [],
    calls: [],
    live: new Set(),
    answerLogin: () => service.success(),
    answerCall: ({ token = '' }) => (service.live.has(token) ? service.answer(200, { token }) : refusedToken()),
    answer: (status, body, headers = {}) => Response.json(body, { status, headers }),
    success() {
      const token = `token-${++issued}`;
      service.live.add(token);
      return service.answer(200, successBody(token));
    },
  };
  return service;
}

/** Makes a client of the service. */
export function clientOf({ fetch }: StubService, options: Partial<MerchantClientOptions> = {}) {
  return createMerchantClient({ ...ACCOUNT, fetch, ...options });
}

/** Makes the guard's answer to a token that the service does not accept. */
export const refusedToken = () =>
  Response.json(
    { status: 'Error', success: false, code: 401, error: INVALID_TOKEN },
    { status: 401, headers: { 'WWW-Authenticate': 'Bearer realm="merchant", error="invalid_token"' } },
  );

/** Marks an answer as that of a redirect which `fetch` has followed. */
export const redirected = (answer: Response) => Object.defineProperty(answer, 'redirected', { value: true });

/** Returns the token of each call. */
export const tokensOf = ({ calls }: StubService) => calls.map(({ token }) => token);

const [EXAMPLE] = schemas('refercence_cl').SuccessfulLogin.examples;

/** The answer to a good login, with this token. */
export function successBody(token: string): LoginSuccess {
  return { ...EXAMPLE, marchand: { referencl: 'BTQ-1001', statut: 1 }, authorisation: { token, type: 'bearer' } };
}

/** A promise that a test settles. */
export interface Gate<Value> {
  readonly opened: Promise<Value>;
  readonly open: (value: Value) => void;
}

export function gate<Value = void>(): Gate<Value> {
  let open: (value: Value) => void = () => undefined;
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
