/** The keys of one login: keyed digests of realm, identifier and address. */
export interface ThrottleKeys {
  readonly email: string;
  /** The digest of the source, or of the peer's address when the source is undetermined. */
  readonly addressKey: string;
  readonly emailAndAddressKey: string;
  readonly isSourceDetermined: boolean;
}

export interface ThrottleCheck {
  /** The seconds that this login has to wait; 0 when it may go on. */
  readonly seconds: number;
  /** True when this identifier has logged in from this address within 14 days. */
  readonly isKnown: boolean;
  /** True when this guess was counted before. */
  readonly isRepeated: boolean;
  /** True when the source has reached its limit for all emails. */
  readonly isSourceLimit: boolean;
  /**
   * The seconds to wait if the password is wrong. Present when the login is beyond a limit, and goes on because its
   * source is known.
   */
  readonly secondsIfWrong?: number;
}
