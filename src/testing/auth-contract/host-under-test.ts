import type { RequestListener } from 'node:http';
import type { Tokens } from '../../tokens/tokens.js';

/** An account that can log in to the host. */
export interface TestMerchant {
  /** The text that it logs in with: an email, or for `ownLogin` a user name or a number. */
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

/** A route that takes the id of a transaction. */
export interface RowRoute {
  readonly method: string;
  /** Returns the path for an id and the reference of the merchant that asks, for example `/v1/transactions/${id}/refund`. */
  readonly path: (id: string, referencl: string) => string;
  /**
   * The body that the owner of the row may send, or a function that returns it. Default: that of a transaction, and none
   * for GET, HEAD and DELETE.
   */
  readonly body?: object | ((id: string, referencl: string) => object);
  /** Leaves the route out, for the reason that has to stand beside it. For example, a receipt is public. */
  readonly skip?: boolean;
  readonly reason?: string;
}

/** The parts of a request that a route needs. */
export interface RouteRequest {
  readonly body?: object;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The host to test, and the facts that its test knows. A route has the spelling that `auditRoutes` prints, for example
 * `GET /v1/payments/:id`. As a key, it can end in `/*` for all routes below.
 */
export interface HostUnderTest {
  /**
   * The assembled application, in NestJS `app.getHttpAdapter().getInstance()`. The contract serves it on loopback. Give
   * `app` or `baseUrl`.
   */
  readonly app?: RequestListener;
  /** The address of a running host, as its clients use it, which can be the address of its proxy. */
  readonly baseUrl?: string;
  /** An active account. */
  readonly merchant: TestMerchant;
  /** An active account of another merchant. Without it, its case is left out. */
  readonly otherMerchant?: TestMerchant;
  /** An account that is disabled. Without it, its case is left out. */
  readonly disabledMerchant?: Omit<TestMerchant, 'referencl'>;
  /** The path of the login. Default `/v1/login`. */
  readonly loginPath?: string;
  /**
   * Describes the login route of a host without `createLoginRouter`. The cases on the body of the login are then left
   * out.
   */
  readonly ownLogin?: OwnLogin;
  /** A `POST` route after the guard and `requireOwnReference()`. */
  readonly transactions: {
    /** Default `/v1/transactions`. */
    readonly path?: string;
    /** Returns a body that the route accepts, with this reference. For `undefined`, the body has no reference. */
    readonly body: (referencl: string | undefined) => object;
    /**
     * Returns the id in the parsed answer of a good transaction. With `otherMerchant`, the case of rows then tests each
     * route that takes this id, even DELETE and PATCH. Without it, the case is left out.
     */
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the test knows the type of its answers
    readonly idOf?: (answer: any) => unknown;
  };
  /**
   * Names routes that take the id of a transaction, where the contract cannot find them. It finds those of an Express
   * `app` with the id as the one parameter of a path that continues that of the transactions. It needs the others, and
   * those that need another body or are left out.
   */
  readonly rows?: readonly RowRoute[];
  /**
   * The requests of routes that need a query, headers or a body. With `baseUrl`, the keys are the routes that are tested,
   * because the contract cannot look for them.
   */
  readonly routes?: Readonly<Record<string, RouteRequest>>;
  /** Routes that no merchant may use, each with the reason. Every merchant has to get 401, 403 or 404. */
  readonly refused?: Readonly<Record<string, string>>;
  /**
   * Routes and cases that are left out on purpose, each with the reason that the report shows. A case has its whole name
   * here, and a function that cannot be walked its path and name: `/v1/reports proxy`.
   */
  readonly leaveOut?: Readonly<Record<string, string>>;
  /** The sub-apps that `app` mounts, because Express hides them. Default: none. */
  readonly apps?: readonly RequestListener[];
  /**
   * The format of refusals. For `'own'`, which is a format of the host, only the status and the headers are checked.
   * Default `'layout'`.
   */
  readonly errors?: 'layout' | 'own';
  /** The tokens of the host. Without them, the cases with expired and forged tokens are left out. */
  readonly tokens?: Tokens;
  /** Closes what was opened. Called once for each case, even after a failure. */
  readonly close?: () => Promise<void>;
}
