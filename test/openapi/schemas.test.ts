import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { brokenRules } from '../../src/login/credentials-schema.js';
import { LOGIN_SCHEMA } from '../../src/login/login-schema.js';
import { SCHEMAS } from '../../src/openapi/schemas.js';

const validateSuccess = new Ajv2020().compile(SCHEMAS.SuccessfulLogin);
const [SUCCESS] = SCHEMAS.SuccessfulLogin.examples;

it('the schema EmailAndPassword is the schema of requests, with an example that the login accepts', () => {
  const { examples, ...schema } = SCHEMAS.EmailAndPassword;
  expect(schema).to.deep.equal(LOGIN_SCHEMA);
  for (const example of examples) expect(brokenRules(example)).to.deep.equal([]);
});

it('the schema SuccessfulLogin accepts its example, demands each member and allows no other, at each level', () => {
  expect(validateSuccess(SUCCESS)).to.equal(true);
  const { user, marchand, authorisation } = SUCCESS;
  for (const part of ['', 'user', 'marchand', 'authorisation'] as const) {
    const members: object = part === '' ? SUCCESS : { user, marchand, authorisation }[part];
    const changed = (other: object) => (part === '' ? other : { ...SUCCESS, [part]: other });
    expect(validateSuccess(changed({ ...members, more: 1 })), part).to.equal(false);
    for (const name of Object.keys(members)) {
      const rest = Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));
      expect(validateSuccess(changed(rest)), `${part}.${name}`).to.equal(false);
    }
  }
});
