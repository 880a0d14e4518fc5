/** The keys of one login: keyed digests of realm, identifier and address. */
export interface ThrottleKeys {
  /** The whole guess: the identifier byte for byte, the password and the address. */
  readonly guess: string;
  readonly email: string;
  /** The digest of the source, or of the peer's address when the source is undetermined. */
  readonly address: string;
  readonly emailAndAddress: string;
  readonly isSourceDetermined: boolean;
}

export interface ThrottleCheck {
  /** The seconds that this login has to wait; 0 when it may go on. */
  readonly seconds: number;
  /** True when the source has reached its limit for all emails. */
  readonly isSourceLimit: boolean;
}

export interface ArrivalCheck extends ThrottleCheck {
  /** True when this identifier has logged in from this address within `KNOWN_SOURCE_SECONDS`. */
  readonly isKnown: boolean;
  /** True when this guess was counted before. */
  readonly isRepeated: boolean;
}
