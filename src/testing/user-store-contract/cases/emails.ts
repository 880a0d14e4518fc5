import { demand, leaveCaseOut, show } from '../messages.js';
import { merchant } from '../merchants.js';
import type { StoreCases, Trial } from '../trial.js';

const KNOWN = 'awa@boutique.example';
const UNSTORABLE =
  'No account can have this email. Resolve to null before the database is asked: if (/[\\0\\p{Surrogate}]/u.test(email)) return null.';

/** `stored` is the only account. */
async function expectNobody(trial: Trial, hint: string, emails: readonly string[], stored = KNOWN): Promise<void> {
  await trial.seedOne(merchant(1, { email: stored }));
  for (const email of emails) {
    const found = await trial.findCredentials(email, hint);
    demand(found == null, `findCredentials(${show(email)}) found the account of ${show(stored)}. ${hint}`);
  }
}

async function expectFound(trial: Trial, hint: string, emails: readonly string[]): Promise<void> {
  // When even this email finds nobody, the hint is not the reason.
  await trial.credentialsOf(await trial.seedOne(merchant(emails.length + 1)));
  for (const [index, email] of emails.entries()) {
    const seeded = await trial.seedOne(merchant(index + 1, { email }), hint);
    const found = await trial.credentialsOf(seeded, hint);
    const returned = found.account?.email;
    demand(
      returned === email,
      `findCredentials(${show(email)}) found an account with the email ${show(returned)}. ${hint}`,
    );
  }
}

const LITERAL =
  'Compare with = and bind the email as a parameter; LIKE and regular expressions also match other emails.';
const BIND = 'Bind the email as a parameter; never build it into the query.';
const BEYOND_ASCII = 'an email beyond ASCII is found as stored';
const AS_GIVEN =
  'Store and return the email unchanged, in a column and connection of UTF-8 (MySQL: utf8mb4). If emails are stored in ' +
  `lower case, look them up in lower case too, and ${leaveCaseOut(BEYOND_ASCII)}`;

export const emailCases: StoreCases = {
  'an email that is a wildcard finds nobody': (trial) =>
    expectNobody(trial, LITERAL, [
      '%',
      '%@%',
      '_____',
      'awa@%',
      'aw_@boutique.example',
      'awa@boutique_example',
      '*',
      'awa@*',
      '.*',
      '.*@.*',
      '^awa@',
      'awa@boutique.exampl.',
      'awa@boutique?example',
      '[a-w]wa@boutique.example',
    ]),
  'an email that holds wildcards, quotes or backslashes is found as stored': (trial) =>
    expectFound(trial, BIND, [
      'percent%a@boutique.example',
      'under_b@boutique.example',
      'dot.*c@boutique.example',
      'plus+d@boutique.example',
      "quote'e@boutique.example",
      'double"f@boutique.example',
      'tick`g@boutique.example',
      'h@boutique.example\\',
      'back\\i@boutique.example',
      'back\\\\j@boutique.example',
      '$1k@boutique.example',
      '?l@boutique.example',
      ':m@boutique.example',
      '(n|*)@boutique.example',
      '[o]@boutique.example',
      '^p$@boutique.example',
    ]),
  'an email that contains SQL finds nobody': (trial) =>
    expectNobody(trial, BIND, [
      "' OR '1'='1",
      "@' OR 1=1 -- ",
      '" OR ""="',
      "\\' OR 1=1 -- ",
      "awa@boutique.example' -- ",
      "awa@boutique.example'; SELECT 1; -- ",
      "awa@boutique.example'/*",
      '$1@a',
      ':email@a',
      '?@a',
      '{"$ne":"@"}',
    ]),
  'an email with NUL finds nobody': (trial) =>
    expectNobody(trial, UNSTORABLE, [`${KNOWN}\0`, `\0${KNOWN}`, `${KNOWN}\0@`, 'aw\0a@boutique.example', '\0@\0\0\0']),
  'an email with a lone surrogate finds nobody': (trial) =>
    expectNobody(
      trial,
      UNSTORABLE,
      ['awa\ud800@boutique.example', 'awa\udfff@boutique.example', 'awa\udc00\ud800@boutique.example'],
      // Drivers replace a lone surrogate with this character.
      'awa\ufffd@boutique.example',
    ),
  'an email of 255 characters, of up to four bytes each, is found as stored': (trial) =>
    expectFound(
      trial,
      'A column for emails has to hold 255 characters of up to four bytes each (MySQL: VARCHAR(255) in utf8mb4).',
      [`${'a'.repeat(239)}@example.example`, `${'\u{1f6d2}'.repeat(127)}@${'\u{1f33e}'.repeat(127)}`],
    ),
  [BEYOND_ASCII]: (trial) =>
    expectFound(trial, AS_GIVEN, [
      '\u{1f6d2}-a@boutique.example',
      '\u{1f469}\u{1f3fe}\u200d\u{1f33e}-b@boutique.example',
      '\u0131s\u0131-c@boutique.example',
      '\u0130zmir-d@boutique.example',
      'zo\u00e9-e@boutique.example',
      'cafe\u0301-f@boutique.example',
      '\u0645\u062a\u062c\u0631-g@boutique.example',
      '\u5546\u5e97-h@boutique.example',
    ]),
};
