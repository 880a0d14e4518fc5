import type { RequestListener } from 'node:http';
import type { Tokens } from 'express-merchant-auth';

/** An account that can log in to the host. */
export interface TestMerchant {
  /** An email, or for `ownLogin` a user name or a number. */
  readonly email: string;
  readonly password: string;
  readonly referencl: string;
}

/** A login route that is not `createLoginRouter`. */
export interface OwnLogin {
  /** Returns the body of a login request. */
  readonly body: (identifier: string, password: string) => object;
  /** Returns the token in the parsed body of a good login. */
  readonly tokenOf: (body: unknown) => unknown;
}

/** A merchant that sends requests. */
export interface Caller extends TestMerchant {
  /**
   * Sends a request with the merchant's token, and returns the parsed answer. Adds an `Idempotency-Key` to a body.
   * @param route a method and a path, for example `POST /v1/payments/7/refunds`
   * @param headers further headers. Default: those that `routes` has for this route
   * @throws Error unless the answer is a 2xx
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- the test knows the type of its answers
  readonly send: (route: string, body?: object, headers?: Readonly<Record<string, string>>) => Promise<any>;
}

/** Rows of a merchant. All routes below the path of `read` are asked for them. */
export interface Resource {
  /** The route of one row, for example `GET /v1/payments/:id`, or else the list that shows the row. */
  readonly read: string;
  /**
   * Makes a new row of the merchant, by requests or by SQL. Resolves to the parameters of `read` by their names (of a
   * list, to the id that it shows), and to others that `routes` uses.
   */
  readonly create: (as: Caller) => Promise<Readonly<Record<string, string | number>>>;
  /** `false` for ids that cannot be guessed: 403 for a foreign row and 404 for an unknown id are then right. Default `true`. */
  readonly hides?: boolean;
}

/** The values that `create` returned, and else under `referenceName` the reference of the merchant that asks. */
export type RowValues = Readonly<Record<string, string | number | undefined>>;

type Headers = Readonly<Record<string, string>>;

/** The parts of a request that a route needs. A function of a row's values says that the route takes ids there. */
export interface RouteRequest {
  /**
   * An object is sent as JSON. A static body of a POST without an id says that it is a list. Default: the body that
   * `create` sent to this route, or else that of `transactions`, with the reference where the route demands one.
   */
  readonly body?: object | string | ((row: RowValues) => object | string);
  /** Sent without members that are `undefined`. Default: the reference where the route demands one. */
  readonly query?: RowValues | ((row: RowValues) => RowValues);
  readonly headers?: Headers | ((row: RowValues) => Headers);
}

/**
 * The host to test. A route has the spelling that `auditRoutes` prints: `GET /v1/payments/:id`, or `USE /v1/reports`
 * for a function at a path. A key can end in `/*` for all routes below.
 */
export interface HostUnderTest {
  /** The assembled app, which the contract serves on loopback. Give `app` or `baseUrl`. */
  readonly app?: RequestListener;
  /** The address of a running host, as its clients use it, for example that of its proxy. */
  readonly baseUrl?: string;
  /** An active account. */
  readonly merchant: TestMerchant;
  /** An active account of another merchant. Without it, its cases are left out. */
  readonly otherMerchant?: TestMerchant;
  /** A disabled account. Without it, its requests are left out. */
  readonly disabledMerchant?: Omit<TestMerchant, 'referencl'>;
  /** Default `/v1/login`. */
  readonly loginPath?: string;
  /** For a host without `createLoginRouter`. The members of its answers are then not checked. */
  readonly ownLogin?: OwnLogin;
  /** A `POST` route after the guard and `requireOwnReference()`. Without it, the guard's answers are not tested. */
  readonly transactions?: {
    /** Default `/v1/transactions`. */
    readonly path?: string;
    /**
     * Returns a body that the route accepts, with this reference. It has none for `undefined`, and where no client
     * sends one.
     */
    readonly body: (referencl: string | undefined) => object;
  };
  /** The one of the `referenceNames` that the contract sends. Default: the first, and with `baseUrl` `refercence_cl`. */
  readonly referenceName?: string;
  /** Without them, the case on routes without a test fails, unless `leaveOut` names it. */
  readonly resources?: readonly Resource[];
  /**
   * Requests of routes that need a query, headers or a body. With `baseUrl`, the keys and the `read` of each resource
   * are the routes that are tested.
   */
  readonly routes?: Readonly<Record<string, RouteRequest>>;
  /** Routes that need no token, each with the reason. The login needs no entry. */
  readonly open?: Readonly<Record<string, string>>;
  /** Routes that no merchant may use, each with the reason. Every merchant has to get 401, 403 or 404. */
  readonly refused?: Readonly<Record<string, string>>;
  /**
   * Routes, cases (by the whole name) and requests of the case on login and guard (by the name in brackets in messages)
   * that are left out on purpose, each with the reason.
   */
  readonly leaveOut?: Readonly<Record<string, string>>;
  /** For `'own'`, only the status and the headers of refusals are checked. Default `'layout'`. */
  readonly errors?: 'layout' | 'own';
  /** Without them, no expired and no forged token is sent. */
  readonly tokens?: Tokens;
  /** Called once for each case, even after a failure. */
  readonly close?: () => Promise<void>;
}
