import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { compileLoginSchema } from '../../src/login/broken-rules.js';
import { openApi, type OpenApiDocument } from '../../src/openapi/index.js';
import { schemas } from '../../src/openapi/schemas.js';

const SCHEMAS = schemas('refercence_cl');
const validateSuccess = new Ajv2020().compile(SCHEMAS.SuccessfulLogin);
const [SUCCESS] = SCHEMAS.SuccessfulLogin.examples;

it('the schema EmailAndPassword accepts its example, and of well-formed texts those that the login accepts', () => {
  const validate = new Ajv2020().compile(SCHEMAS.EmailAndPassword);
  const brokenRules = compileLoginSchema();
  const [example] = SCHEMAS.EmailAndPassword.examples;
  const values = ['', '@', 'a@b.c', 'a@b@c', '@@@@@', 'a.b.c', 'a\0@bc', 'a@b\0c', 'a@\nbc', '\n\n\n\n@', '😀😀😀😀@'];
  const bodies = [undefined, 5, null, 'x'.repeat(256), ...values].flatMap((value) => [
    { ...example, email: value },
    { ...example, password: value },
  ]);
  for (const body of [example, ...bodies]) {
    expect(validate(body), JSON.stringify(body)).to.equal(brokenRules(body).length === 0);
  }
  expect(validate(example)).to.equal(true);
});

it('ajv compiles each schema of the document in its strict mode', () => {
  const text = JSON.stringify(openApi()).replaceAll('#/components/schemas/', 'schemas#/$defs/');
  const { schemas: $defs } = (JSON.parse(text) as OpenApiDocument).components;
  const ajv = new Ajv2020().addSchema({ $id: 'schemas', $defs });
  for (const name of Object.keys($defs)) ajv.compile({ $ref: `schemas#/$defs/${name}` });
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
