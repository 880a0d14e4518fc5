import type { IncomingMessage } from 'node:http';
import { reportRefusal } from '../events/report-refusal.js';
import { BRAND } from '../base/another-copy.js';
import { givenOptions } from '../base/check-options.js';
import { parseOptions } from '../base/parse-options.js';
import type { Merchant } from '../ownership/merchant.js';
import { determineSource, type Source } from '../sources/determine-source.js';
import { cachePeerAddress } from '../sources/peer.js';
import { requireAllowedSource } from '../sources/require-allowed-source.js';
import { bearerToken } from './authorization.js';
import { checkNoStore, GUARD_OPTIONS, guardConfig, type GuardConfig, type GuardOptions } from './guard-options.js';
import { liveAccount } from './live-account.js';

/** Checks tokens and accounts where no middleware runs. `createGuard` makes it, and `requireBearer` takes it. */
export class Guard {
  /** @internal */
  static readonly [BRAND] = 'Guard';

  readonly #config: GuardConfig;

  /** @internal */
  constructor(config: GuardConfig) {
    this.#config = config;
  }

  /** @internal */
  get realm(): string {
    return this.#config.realm;
  }

  /** @internal */
  get readsAccounts(): boolean {
    return this.#config.readAccount !== null;
  }

  /**
   * Checks the token of a request and its account, as `requireBearer` does, and reports a refusal as an event. Reads only
   * the header `Authorization` and the caller's address, and never writes an answer. Looks at no `refercence_cl`, and
   * `merchantOf` does not know the merchant.
   * @param options.source the caller's address. Give it where Express has not computed `req.ip`, for example in an upgrade
   *   behind a proxy. Default: `req.ip`, or else the address of the peer
   * @throws AuthError `missing_token`, `invalid_token`, `expired_token`, `revoked_token`, `source_not_allowed`,
   *   `store_unavailable` or `malformed_account`
   */
  async authenticate(
    req: IncomingMessage,
    { source }: { readonly source?: string | undefined } = {},
  ): Promise<Merchant> {
    const { tokens, readAccount, realm } = this.#config;
    let accountId: string | undefined;
    let caller: Source | undefined;
    try {
      const claims = tokens.verify(bearerToken(req, realm));
      accountId = claims.sub;
      cachePeerAddress(req);
      const found = readAccount && (await liveAccount(readAccount, claims, realm));
      const allowed = found?.members.allowedSources;
      if (allowed != null) {
        caller = determineSource(req, source);
        requireAllowedSource(allowed, caller);
      }
      const { referencl } = found === null ? claims : found.members.marchand;
      return Object.freeze({ id: claims.sub, referencl, account: found?.account ?? null, claims });
    } catch (error) {
      reportRefusal(error, () => ({ realm, source: (caller ?? determineSource(req, source)).source, accountId }));
      throw error;
    }
  }
}

/**
 * Makes a guard for requests that no middleware reaches, for example the upgrade to a WebSocket. It checks no references.
 * @throws TypeError for a missing secret, an unknown or wrong option, or `undefined` in place of the options
 */
export function createGuard(options?: GuardOptions): Guard;
export function createGuard(...args: [options?: GuardOptions]): Guard {
  const options = givenOptions('createGuard', args);
  checkNoStore('createGuard', options);
  return new Guard(guardConfig('createGuard', options, parseOptions('createGuard', options, GUARD_OPTIONS)));
}
