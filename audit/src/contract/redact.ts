import type { HostUnderTest } from './host-under-test.js';

/** Matches a JWT, or the part of one that holds claims. */
const TOKEN = /eyJ[\w-]+\.[\w-]*(?:\.[\w-]*)*/g;
/** The part of a body that a message shows, in characters. */
const SHOWN = 300;

/**
 * Makes the function that removes tokens and the passwords of the host's accounts from a text. An answer can echo a
 * password as a text, in JSON, in a form or in a URL.
 */
export function createRedaction({ merchant, otherMerchant, disabledMerchant }: HostUnderTest) {
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
  return (text: string): string =>
    forms.reduce((shown, form) => shown.replaceAll(form, '<password>'), text).replaceAll(TOKEN, '<token>');
}

export function excerptOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}...` : line;
}
