import { spellings } from '../foldings.js';
import { RIGHT, type Table } from '../table-store.js';
import type { Fault } from './fault.js';

const MATCHED = 'findCredentials returns the text that its lookup matched as identifier';

/** A table whose lookup and unique index hold these spellings equal. */
const foldingTable = (fold: (email: string) => string): Partial<Table> => ({
  isSameEmail: (one, other) => fold(one) === fold(other),
  byEmail: (rows, email) => rows.find((row) => fold(row.email) === fold(email)),
});

export const otherSpellingFaults: readonly Fault[] = [
  {
    title: 'returns another column as identifier',
    fault: { toIdentifier: ({ phone }) => phone },
    fails: MATCHED,
    says: /"awa@boutique\.example"\) returned "\+2250700000001" as identifier, .* text of the row that the lookup matched/,
  },
  {
    title: 'compares in any letter case, and returns the identifier as it was sent',
    fault: { ...foldingTable((email) => email.toLowerCase()), toIdentifier: (_row, email) => email },
    fails: MATCHED,
    says: /returned "AWA@boutique\.example" as identifier, where "awa@boutique\.example" is stored/,
  },
  ...spellings.flatMap(({ difference, fold }): Fault[] => {
    const fails = `an email that differs ${difference} finds nobody, or returns the stored text`;
    return [
      {
        title: `finds emails that differ ${difference}, and returns the identifier as it was sent`,
        fault: { ...foldingTable(fold), toIdentifier: (_row, email) => email },
        fails,
        says: /returned ".*" as identifier, where ".*" is stored\. Return the text of the row/,
      },
      {
        title: `finds emails that differ ${difference}, and returns the email as it was sent`,
        fault: {
          ...foldingTable(fold),
          toCredentialsAccount: (row, email) => ({ ...(RIGHT.toAccount(row) as object), email }),
        },
        fails,
        says: /returned ".*" as account\.email, where ".*" is stored\. Return the text of the row/,
      },
    ];
  }),
];
