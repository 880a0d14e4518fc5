import { RIGHT } from '../table-store.js';
import { account, type Fault } from './fault.js';

const SAME_ACCOUNT = 'findCredentials gives the account that findById gives';

export const accountFaults: readonly Fault[] = [
  {
    title: 'returns phones as numbers',
    fault: account(({ phone }) => ({ phone: Number(phone) })),
    fails: 'phone comes back as stored',
    says: /as phone, .* from a column of text/,
  },
  {
    title: 'drops the zeros of references',
    fault: account(({ marchand }) => ({
      marchand: { ...marchand, referencl: marchand.referencl.replace(/^0+/, '') },
    })),
    fails: 'marchand.referencl comes back as stored',
    says: /"12345" as marchand\.referencl, where "0012345" is stored\. .* must be exactly equal/,
  },
  {
    title: 'returns statut as a boolean',
    fault: account(({ marchand }) => ({ marchand: { ...marchand, statut: Boolean(marchand.statut) } })),
    fails: 'marchand.statut comes back as stored',
    says: /returned false \(boolean\) as marchand\.statut, where 0 \(number\) is stored/,
  },
  {
    title: 'returns disabled only when it is true',
    fault: account(({ disabled }) => ({ disabled: disabled ? true : undefined })),
    fails: 'disabled comes back as stored',
    says: /false as well as true/,
  },
  {
    title: 'selects fewer columns at login',
    fault: { toCredentialsAccount: (row) => ({ ...(RIGHT.toAccount(row) as object), phone: undefined }) },
    fails: SAME_ACCOUNT,
    says: /differ in phone: .* Make the account of both with one function/,
  },
];
