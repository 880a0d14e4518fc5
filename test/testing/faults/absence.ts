import type { Fault } from './fault.js';

export const absenceFaults: readonly Fault[] = [
  {
    title: 'gives undefined for an unknown email',
    fault: { nobodyByEmail: undefined },
    fails: 'findCredentials resolves to null when no account has the email',
    says: /resolved to undefined .* Resolve to null: rows\[0\] \?\? null/,
  },
  {
    title: 'gives undefined for an unknown id',
    fault: { nobodyById: undefined },
    fails: 'findById resolves to null when no account has the id',
    says: /^findById\("7"\) resolved to undefined .* Resolve to null/,
  },
];
