import type { Credentials } from '../../../store/user-store.js';
import { demand, show } from '../messages.js';
import { merchant } from '../merchants.js';
import type { StoreCases, Trial } from '../trial.js';

/** Equal in some collations. The package treats them as different. */
const PAIRS: readonly (readonly [difference: string, first: string, second: string])[] = [
  ['U+06DE at the end', 'awa@boutique.example', 'awa@boutique.example\u06de'],
  ['\u00df for s', 'strase@boutique.example', 'stra\u00dfe@boutique.example'],
  ['\u0111 for d', 'dao@boutique.example', '\u0111ao@boutique.example'],
];

const STORED = 'awa@boutique.example';

/** Many lookups treat them as equal to `STORED`. */
const SPELLINGS = ['AWA@boutique.example', 'aw\u00e1@boutique.example', `${STORED} `];

const AS_STORED =
  'Return the text of the row that the lookup matched: the email in account.email, or a user name as identifier. ' +
  'The package compares it with the text that was sent.';

function checkMatchedText(found: Credentials | null, sent: string, stored: string): void {
  if (found == null) return;
  const { identifier, account } = found;
  const member = identifier === undefined ? 'account.email' : 'identifier';
  const matched = identifier ?? account.email;
  demand(
    matched === stored,
    `findCredentials(${show(sent)}) returned ${show(matched)} as ${member}, where ${show(stored)} is stored. ${AS_STORED}`,
  );
}

/** Only the other of the two emails is stored. */
async function checkPair(trial: Trial, first: string, second: string): Promise<void> {
  await trial.seed([merchant(1, { email: `a-${first}` }), merchant(2, { email: `b-${second}` })]);
  for (const [stored, sent] of [
    [`a-${first}`, `a-${second}`],
    [`b-${second}`, `b-${first}`],
  ] as const) {
    checkMatchedText(await trial.findCredentials(sent), sent, stored);
  }
}

export const otherSpellingCases: StoreCases = {
  'findCredentials returns the text that its lookup matched as identifier': async (trial) => {
    const seeded = await trial.seedOne(merchant(1, { email: STORED }));
    checkMatchedText(await trial.credentialsOf(seeded), STORED, STORED);
    for (const sent of SPELLINGS) checkMatchedText(await trial.findCredentials(sent), sent, STORED);
  },
  ...Object.fromEntries(
    PAIRS.map(([difference, first, second]) => [
      `an email that differs by ${difference} finds nobody, or returns the stored text`,
      (trial: Trial) => checkPair(trial, first, second),
    ]),
  ),
};
