import type { RequestListener } from 'node:http';
import type { Tokens } from '../../tokens/tokens.js';

/** An account that can log in to the host. */
export interface TestMerchant {
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

/** A host as its clients meet it, and what is known of it. */
export interface HostUnderTest {
  /** The assembled application, which the contract serves on loopback; or `baseUrl`. */
  readonly app?: RequestListener;
  /** The address of a host that runs, as its clients write it: also behind its proxy. */
  readonly baseUrl?: string;
  /** An active account. */
  readonly merchant: TestMerchant;
  /** Another active account. Without it, its case is left out. */
  readonly otherMerchant?: TestMerchant;
  /** An account that is disabled. Without it, its case is left out. */
  readonly disabledMerchant?: Omit<TestMerchant, 'referencl'>;
  /** The path of the login. Default `/v1/login`. */
  readonly loginPath?: string;
  /** For a host with its own login route. The cases on the body of the login are left out. */
  readonly ownLogin?: OwnLogin;
  /** A `POST` route behind the guard and `requireOwnReference()`. */
  readonly transactions: {
    /** Default `/v1/transactions`. */
    readonly path?: string;
    /** Returns a body that the route accepts, with this reference; without it for `undefined`, as JSON leaves it out. */
    readonly body: (referencl: string | undefined) => object;
  };
  /** `'own'` for a host that writes refusals in its own format. Their status and headers are checked. Default `'layout'`. */
  readonly errors?: 'layout' | 'own';
  /** The tokens of the host. Without them, the cases with tokens that a host cannot issue are left out. */
  readonly tokens?: Tokens;
  /** Ends what was opened. Called once a case, also after a failure. */
  readonly close?: () => Promise<void>;
}
