const before = new Map<string, string | undefined>();

/** Sets or removes a variable of the environment for this test. */
export function setVariable(name: string, value: string | undefined): void {
  if (!before.has(name)) before.set(name, process.env[name]);
  write(name, value);
}

/** Runs a function while the environment has these variables. */
export function withVariables<Result>(values: Readonly<Record<string, string>>, run: () => Result): Result {
  const previous = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  try {
    return run();
  } finally {
    for (const [name, value] of previous) write(name, value);
  }
}

function write(name: string, value: string | undefined): void {
  if (value === undefined) Reflect.deleteProperty(process.env, name);
  else process.env[name] = value;
}

afterEach('restore the environment', () => {
  for (const [name, value] of before) write(name, value);
  before.clear();
});
