import { RIGHT, type Row } from '../table-store.js';
import type { Fault } from './fault.js';

const COPY = 'a change of a returned account does not change the stored one';

const rowFaults: readonly Fault[] = (
  [
    ['the row itself', 'disabled', (row) => ({ row, account: row })],
    ['the marchand of the row', 'marchand.referencl', ({ marchand }) => ({ account: { marchand } })],
    ['the Date of the row', 'tokensValidAfter', ({ tokensValidAfter }) => ({ account: { tokensValidAfter } })],
  ] as readonly (readonly [string, string, (row: Row) => { readonly row?: Row; readonly account: object }])[]
).map(([title, member, pick]) => ({
  title: `returns ${title}`,
  fault: {
    // The row has a hash, which is another fault.
    store: ({ passwordHash, ...rest }) =>
      Object.defineProperty({ ...rest }, 'passwordHash', { value: passwordHash, writable: true }) as Row,
    toAccount(row) {
      const { row: itself, account: shared } = pick(row);
      return itself ?? { ...(RIGHT.toAccount(row) as object), ...shared };
    },
  },
  fails: COPY,
  says: new RegExp(`^After ${member.replace('.', '\\.')} of the account that findById returned was changed`),
}));

export const copyFaults: readonly Fault[] = [
  ...rowFaults,
  {
    title: 'returns the marchand of the row in the list',
    fault: { toListedAccount: (row) => ({ ...(RIGHT.toAccount(row) as object), marchand: row.marchand }) },
    fails: COPY,
    says: /^After marchand\.referencl of the account that findByIds returned was changed/,
  },
];
