import { parseArgs } from 'node:util';

/** Says in a sentence why the command cannot run, and what to give. */
export class Unusable extends Error {}

export type Outcome = Readonly<{ code: number; text: string }>;

export const HELP = `Usage: express-merchant-auth-audit [options] server.js
       express-merchant-auth-audit rows --as HEADER --as HEADER server.js

Asks each route of an Express app as a stranger, and lists those that answer.
server.js is the file that listens or exports the app. Middleware runs for
real, and handlers do not run: give the app a database for tests.

  --run get|all    run the handlers of open routes too, because some ask for
                   the token themselves; "all" writes
  --header HEADER  a header of each request, for example of an API key that
                   all clients have: 'X-Api-Key: abc'
  --accept         write the open routes to open-routes.json, so that from then
                   on only others fail
  --accepted FILE  a file other than open-routes.json
  --all            list the routes that refuse, too
  --json           print JSON
  --noise          show what the app prints
  --as HEADER      rows: a header of one caller, and then of another one, whose
                   rows are asked for: 'Authorization: Bearer abc'

Exit code: 0 no new open route, 1 findings, 2 the command could not run
`;

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true, default: [] as string[] } as const;
const flag = { type: 'boolean', default: false } as const;
const routes = { run: text, header: texts, accept: flag, accepted: text, all: flag };
const options = { ...routes, as: texts, json: flag, noise: flag, help: flag };
const HEADER = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t\x20-\x7e]+)$/;

export type Options = NonNullable<ReturnType<typeof optionsOf>>;

/** Returns `undefined` for --help. */
export function optionsOf(args: string[]) {
  const { values, positionals } = parse(args);
  const isRows = positionals[0] === 'rows';
  const [file, ...more] = positionals.slice(isRows ? 1 : 0);
  const { run = 'none', header, as, accepted: acceptedFile = 'open-routes.json', help, ...flags } = values;
  if (help) return undefined;
  if (file === undefined || more.length > 0)
    throw new Unusable('Give one file: the one that listens or exports the app.');
  if (run !== 'none' && run !== 'get' && run !== 'all') throw new Unusable('--run takes get or all.');
  if (isRows ? as.length !== 2 : as.length > 0)
    throw new Unusable(
      `Two callers are compared: rows --as 'Authorization: Bearer A' --as 'Authorization: Bearer B' ${file}`,
    );
  const callerOf = (name: string, line = '') => ({ name, headers: headersOf([line]) });
  const callers = isRows ? ([callerOf('A', as[0]), callerOf('B', as[1])] as const) : undefined;
  return { ...flags, file, run, headers: headersOf(header), callers, acceptedFile } as const;
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new Unusable(`${(error as Error).message.split('. ', 1)[0]}.`);
  }
}

function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const pairs = lines.map((line) => {
    const [, name, value] = HEADER.exec(line) ?? [];
    // The message has no value: it can be a secret.
    if (name === undefined) throw new Unusable("A header has the form 'Name: value'.");
    return [name, value] as const;
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}
