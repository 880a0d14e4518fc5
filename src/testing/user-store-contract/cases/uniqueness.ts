import { demand, show } from '../messages.js';
import { merchant } from '../merchants.js';
import { PAST_THE_MODEL, type StoreCases, type Trial } from '../trial.js';

/** Equal in some databases and different in others. */
const PAIRS: readonly (readonly [difference: string, first: string, second: string])[] = [
  ['in letter case', 'awa@boutique.example', 'AWA@Boutique.example'],
  ['by an accent', 'zoe@boutique.example', 'zo\u00e9@boutique.example'],
  ['in how an accent is composed', 'zo\u00e9@boutique.example', 'zoe\u0301@boutique.example'],
  ['by a control character (U+0001)', 'awa@boutique.example', 'awa\u0001@boutique.example'],
  ['by a zero-width space (U+200B)', 'awa@boutique.example', 'awa\u200b@boutique.example'],
  ['by a soft hyphen (U+00AD)', 'awa@boutique.example', 'awa\u00ad@boutique.example'],
  ['by a space at the end', 'awa@boutique.example', 'awa@boutique.example '],
  ['by a space at the start', 'awa@boutique.example', ' awa@boutique.example'],
  ['by \u00df for ss', 'gross@boutique.example', 'gro\u00df@boutique.example'],
  ['by a Kelvin sign for k', 'kofi@boutique.example', '\u212aofi@boutique.example'],
  ['by a dotless i', 'idris@boutique.example', '\u0131dris@boutique.example'],
  ['by a capital i with a dot', 'idris@boutique.example', '\u0130dris@boutique.example'],
  ['by full-width letters', 'awa@boutique.example', '\uff41\uff57\uff41@boutique.example'],
];

const ONE_COLLATION =
  'Give lookup and unique index one collation (and one folding). If emails are stored in another form, for example in ' +
  'lower case, look up that form.';
const DANGEROUS = `Dangerous: the database lets both emails register, so one merchant could log in to the other. ${ONE_COLLATION}`;

async function checkPair(trial: Trial, emails: { readonly first: string; readonly second: string }): Promise<void> {
  const first = await trial.seedOne(merchant(1, { email: emails.first }));
  const hint = 'Any text without NUL and lone surrogates can be asked for.';
  const before = await trial.findCredentials(emails.second, hint);
  // When even this email finds nobody, the pair is not the reason.
  await trial.credentialsOf(await trial.seedOne(merchant(3)));
  const second = await trial.seedUnlessRefused(merchant(2, { email: emails.second }));
  const call = `findCredentials(${show(emails.second)})`;
  const owner = show(emails.first);

  if (second === undefined) {
    const after = await trial.findCredentials(emails.second, hint);
    const fix = `Compare as the unique index of the email does. ${PAST_THE_MODEL}`;
    demand(after != null, `${call} found nobody, but the database refuses that email beside ${owner}. ${fix}`);
    demand(
      after.account.email === first.email,
      `${call} gave the account the email ${show(after.account.email)}. Return the email as stored, ${owner}: ` +
        'failed logins are counted by it.',
    );
    return;
  }
  demand(before == null, `${call} found the account of ${owner} while there was no other. ${DANGEROUS}`);
  for (const [asked, other] of [
    [first, second],
    [second, first],
  ] as const) {
    const { account } = await trial.credentialsOf(asked, ONE_COLLATION);
    // Another case checks the type of the id.
    const id: unknown = account?.id;
    demand(
      String(id) !== other.id,
      `findCredentials(${show(asked.email)}) found the account of ${show(other.email)}. ${DANGEROUS}`,
    );
  }
}

export const uniquenessCases: StoreCases = Object.fromEntries(
  PAIRS.map(([difference, first, second]) => [
    `emails that differ ${difference} are as different at lookup as at uniqueness`,
    (trial: Trial) => checkPair(trial, { first, second }),
  ]),
);
