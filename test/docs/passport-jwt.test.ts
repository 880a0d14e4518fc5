import { hash } from '@node-rs/bcrypt';
import { expect } from 'chai';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { bearer, type Client, serve } from '../helpers/http.js';
import { tokenOf } from '../helpers/login-host.js';
import { loadApp, loadSnippet, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/passport-jwt.md';

it(`${PAGE} shows a host before and after its migration, with the same login and other tokens`, async () => {
  writeSnippets(PAGE);
  const { rows } = loadSnippet('accounts.ts', PAGE) as { rows: unknown[] };
  const { email, phone, marchand } = AWA;
  rows.push({ id: 1, email, phone, password: await hash(PASSWORD, 10), ...marchand });
  const oldHost = await serve(await loadApp('before.ts', PAGE));
  const newHost = await serve(await loadApp('after.ts', PAGE));
  const logIn = (host: Client, password = PASSWORD) => host.send('POST', '/v1/login', { body: { email, password } });
  const pay = async (host: Client, token: string) => {
    const body = { refercence_cl: 'BTQ-1001' };
    return (await host.send('POST', '/v1/transactions', { body, headers: bearer(token) })).status;
  };

  const [before, after] = [await logIn(oldHost), await logIn(newHost)];
  expect(after.text.replace(tokenOf(after), '')).to.equal(before.text.replace(tokenOf(before), ''));
  expect([await pay(oldHost, tokenOf(before)), await pay(oldHost, tokenOf(after))]).to.deep.equal([201, 201]);
  expect([await pay(newHost, tokenOf(before)), await pay(newHost, tokenOf(after))]).to.deep.equal([401, 201]);
  // The new host refuses passwords of fewer than six characters.
  expect([(await logIn(oldHost, 'court')).status, (await logIn(newHost, 'court')).status]).to.deep.equal([401, 400]);
});
