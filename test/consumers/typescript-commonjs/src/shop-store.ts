import { createPasswords, type Credentials, type MerchantAccount, type UserStore } from 'express-merchant-auth';

/** An account with a member of this host's own. */
export interface ShopAccount extends MerchantAccount {
  readonly shop: string;
}

interface Row {
  readonly account: ShopAccount;
  readonly passwordHash: string;
}

/** A store of the host's own. */
export class ShopStore implements UserStore<ShopAccount> {
  private readonly rows: Row[] = [];

  async add(account: ShopAccount, password: string): Promise<void> {
    this.rows.push({ account, passwordHash: await createPasswords().hash(password) });
  }

  async findCredentials(email: string): Promise<Credentials<ShopAccount> | null> {
    return this.rows.find((row) => row.account.email === email) ?? null;
  }

  async findById(id: string): Promise<ShopAccount | null> {
    return this.rows.find((row) => row.account.id === id)?.account ?? null;
  }
}
