/** Keyed digests of realm, identifier and source. An undetermined source is replaced by the address of the peer. */
export interface ThrottleKeys {
  /** The identifier byte for byte, the password and the source. */
  readonly guess: string;
  readonly email: string;
  readonly source: string;
  readonly emailAndSource: string;
  readonly isSourceDetermined: boolean;
}

export interface ThrottleCheck {
  /** 0 when the login may go on. */
  readonly seconds: number;
  readonly isSourceLimit: boolean;
}

export interface ArrivalCheck extends ThrottleCheck {
  /** This identifier has logged in from this source within `KNOWN_SOURCE_SECONDS`. */
  readonly isKnown: boolean;
  readonly isRepeated: boolean;
}
