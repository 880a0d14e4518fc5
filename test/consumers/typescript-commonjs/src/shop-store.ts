import { createPasswords, type Credentials, type MerchantAccount, type UserStore } from 'express-merchant-auth';

/** An account with one more member. */
export interface ShopAccount extends MerchantAccount {
  readonly shop: string;
}

interface Row {
  readonly account: ShopAccount;
  readonly passwordHash: string | null;
}

function copyOf(account: ShopAccount): ShopAccount {
  const { marchand, tokensValidAfter } = account;
  return {
    ...account,
    marchand: { ...marchand },
    tokensValidAfter: tokensValidAfter ? new Date(tokensValidAfter) : null,
  };
}

/** A store that the host wrote. */
export class ShopStore implements UserStore<ShopAccount> {
  private readonly rows: Row[] = [];

  async add(account: ShopAccount, password: string): Promise<void> {
    this.insert(account, await createPasswords().hash(password));
  }

  insert(account: ShopAccount, passwordHash: string | null): void {
    if (this.rows.some((row) => row.account.email === account.email)) throw new Error('The email is taken.');
    this.rows.push({ account, passwordHash });
  }

  async findCredentials(email: string): Promise<Credentials<ShopAccount> | null> {
    const row = this.rows.find((candidate) => candidate.account.email === email);
    return row ? { ...row, account: copyOf(row.account) } : null;
  }

  async findById(id: string): Promise<ShopAccount | null> {
    const row = this.rows.find((candidate) => candidate.account.id === id);
    return row ? copyOf(row.account) : null;
  }
}
