const before = new Map<string, string | undefined>();

/** Sets or removes a variable of the environment for this test. */
export function setVariable(name: string, value: string | undefined): void {
  if (!before.has(name)) before.set(name, process.env[name]);
  write(name, value);
}

function write(name: string, value: string | undefined): void {
  if (value === undefined) Reflect.deleteProperty(process.env, name);
  else process.env[name] = value;
}

afterEach('restore the environment', () => {
  for (const [name, value] of before) write(name, value);
  before.clear();
});
