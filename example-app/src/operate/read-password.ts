import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** The login takes no more characters. */
const MAX_LENGTH = 255;
const MIN_LENGTH = 8;

/** Takes the echo of the terminal. */
const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

/** Reads the password from the first line of stdin. A terminal does not show it. */
export async function readPassword(): Promise<string> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) stderr.write('New password: ');
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY });
  const { value = '' } = (await lines[Symbol.asyncIterator]().next()) as { readonly value?: string };
  lines.close();
  if (stdin.isTTY) stderr.write('\n');
  // Node.js reads bytes that are not UTF-8 as U+FFFD. U+FEFF is the invisible mark with which some shells begin a text.
  if (value.length >= MIN_LENGTH && value.length <= MAX_LENGTH && !/[\0\uFEFF\uFFFD]/.test(value)) return value;
  throw new Error(
    `Write the password to stdin, on one line of UTF-8. It needs ${MIN_LENGTH} to ${MAX_LENGTH} characters.`,
  );
}
