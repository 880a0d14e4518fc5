import { RIGHT } from '../table-store.js';
import { account, type Fault } from './fault.js';

const AS_STORED = 'allowedSources comes back as stored, from every method';

export const allowedSourcesFaults: readonly Fault[] = [
  {
    title: 'forgets allowedSources at login',
    fault: { toCredentialsAccount: (row) => ({ ...(RIGHT.toAccount(row) as object), allowedSources: null }) },
    fails: AS_STORED,
    says: /^findCredentials returned null \(object\) as allowedSources, where \["203\.0\.113\.7", .* is stored\. Return the array/,
  },
  {
    title: 'returns null for an empty list',
    fault: account(({ allowedSources }) => ({ allowedSources: allowedSources?.length ? allowedSources : null })),
    fails: AS_STORED,
    says: /^findById returned null \(object\) as allowedSources, where \[\] is stored\. .* null allows any address/,
  },
  {
    title: 'splits an empty column',
    fault: account(({ allowedSources }) => ({ allowedSources: (allowedSources ?? []).join().split(',') })),
    fails: AS_STORED,
    says: /^findById returned \[""\] as allowedSources, where \[\] is stored/,
  },
];
