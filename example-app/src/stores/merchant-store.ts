/** The columns of a new account. It is enabled. */
export interface NewMerchant {
  readonly email: string;
  readonly phone: string;
  readonly passwordHash: string;
  readonly referencl: string;
  readonly statut: number;
}

/** Runs one statement, with `?` for its values. */
type Run = (sql: string, values: readonly (string | number)[]) => Promise<unknown>;

/** Writes accounts for the operator. Each method is one statement. An email here is exactly the stored one. */
export class MerchantStore {
  readonly #run: Run;
  readonly #now: string;

  /** @param now the SQL of the current instant for `tokens_valid_after` */
  constructor(run: Run, now: string) {
    this.#run = run;
    this.#now = now;
  }

  /** @throws the database's error if the email has an account, see `isDuplicate` */
  async add({ email, phone, passwordHash, referencl, statut }: NewMerchant): Promise<void> {
    const sql = 'INSERT INTO merchants (email, phone, password_hash, referencl, statut) VALUES (?, ?, ?, ?, ?)';
    await this.#run(sql, [email, phone, passwordHash, referencl, statut]);
  }

  async setDisabled(email: string, disabled: boolean): Promise<void> {
    await this.#run(`UPDATE merchants SET disabled = ${disabled} WHERE email = ?`, [email]);
  }

  /** Ends all tokens of the account. */
  async logOut(email: string): Promise<void> {
    await this.#run(`UPDATE merchants SET tokens_valid_after = ${this.#now} WHERE email = ?`, [email]);
  }

  /** Ends all tokens too. Between two statements, somebody with the old password could log in. */
  async setPassword(email: string, passwordHash: string): Promise<void> {
    const sql = `UPDATE merchants SET password_hash = ?, tokens_valid_after = ${this.#now} WHERE email = ?`;
    await this.#run(sql, [passwordHash, email]);
  }
}
