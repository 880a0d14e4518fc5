import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { compileLoginSchema } from '../../src/login/broken-rules.js';
import { schemas } from '../../src/openapi/schemas.js';
import { type Document, DOCUMENTS } from './host-document.js';

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

/** Returns all schemas of a document, at any depth. */
function schemasIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  const { schema } = value as { readonly schema?: object };
  return [...(schema === undefined ? [] : [schema]), ...Object.values(value).flatMap(schemasIn)];
}

for (const [title, read] of DOCUMENTS) {
  it(`ajv compiles each schema of ${title} in its strict mode, with the format date-time alone`, async () => {
    const text = JSON.stringify(await read()).replaceAll('#/components/schemas/', 'schemas#/$defs/');
    const document = JSON.parse(text) as Document;
    const { schemas: $defs } = document.components;
    const ajv = new Ajv2020({ strict: true, formats: { 'date-time': true } });
    ajv.addSchema({ $id: 'schemas', $defs });
    for (const name of Object.keys($defs)) ajv.compile({ $ref: `schemas#/$defs/${name}` });
    for (const schema of schemasIn(document)) ajv.compile(schema);
  });
}

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
