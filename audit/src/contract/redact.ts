import type { HostUnderTest } from './host-under-test.js';

/** Matches a JWT, or the part of one that holds claims. */
const TOKEN = /eyJ[\w-]+\.[\w-]*(?:\.[\w-]*)*/g;
/** The part of a body that a message shows, in characters. */
const SHOWN = 300;

export type Redact = (text: string) => string;

/** Makes the function that removes tokens and passwords from a text, which can be JSON, a form or a URL. */
export function createRedaction({ merchant, otherMerchant, disabledMerchant }: HostUnderTest): Redact {
  const forms = [merchant, otherMerchant, disabledMerchant]
    .flatMap((account) => account?.password ?? [])
    .flatMap((password) => [
      password,
      JSON.stringify(password).slice(1, -1),
      encodeURIComponent(password),
      String(new URLSearchParams({ '': password })).slice(1),
    ])
    // A password can begin with another one.
    .sort((one, other) => other.length - one.length);
  return (text) =>
    forms.reduce((shown, form) => shown.replaceAll(form, '<password>'), text).replaceAll(TOKEN, '<token>');
}

export function excerptOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}...` : line;
}
