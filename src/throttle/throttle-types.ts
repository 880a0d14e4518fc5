/**
 * The keys of one login: keyed digests of realm, identifier and source. When the source is undetermined, the address of
 * the peer takes its place in all of them.
 */
export interface ThrottleKeys {
  /** The whole guess: the identifier byte for byte, the password and the source. */
  readonly guess: string;
  readonly email: string;
  readonly source: string;
  readonly emailAndSource: string;
  readonly isSourceDetermined: boolean;
}

export interface ThrottleCheck {
  /** The seconds that this login has to wait; 0 when it may go on. */
  readonly seconds: number;
  /** True when the source has reached its limit for all emails. */
  readonly isSourceLimit: boolean;
}

export interface ArrivalCheck extends ThrottleCheck {
  /** True when this identifier has logged in from this source within `KNOWN_SOURCE_SECONDS`. */
  readonly isKnown: boolean;
  /** True when this guess was counted before. */
  readonly isRepeated: boolean;
}
