import type { MerchantAccount } from 'express-merchant-auth';

export type DemoAccount = MerchantAccount & { readonly password: string };

/** Lists the demo accounts. Their passwords are public, so use them only to try the API. */
export const demoAccounts: readonly DemoAccount[] = [
  {
    id: '1',
    email: 'awa@boutique.example',
    phone: '+2250700000001',
    marchand: { referencl: 'BTQ-1001', statut: 1 },
    disabled: false,
    password: 'baobab-2026',
  },
  {
    id: '2',
    email: 'kofi@cantine.example',
    phone: '+2250700000002',
    marchand: { referencl: 'CNT-1002', statut: 1 },
    disabled: false,
    password: 'calebasse-2026',
  },
  {
    id: '3',
    email: 'fermee@ancien.example',
    phone: '+2250700000003',
    marchand: { referencl: 'ANC-1003', statut: 0 },
    disabled: true,
    password: 'fermeture-2026',
  },
];
