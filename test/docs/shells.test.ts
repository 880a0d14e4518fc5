import { expect } from 'chai';
import { PAGES, readPage } from '../helpers/snippets.js';

/** Matches commands that PowerShell does not take, or passes on differently. Each pattern has an example. */
const NOT_PORTABLE: readonly (readonly [pattern: RegExp, example: string])[] = [
  [/^(?:export )?\w+=/m, 'PORT=3001 node main.js'],
  [/^export /m, 'export PORT'],
  [/&&|\|\|/, 'npm ci && npm start'],
  [/\\$/m, 'curl -s localhost \\'],
  [/\$\(/, 'echo $(date)'],
  [/\bcurl\b/, 'curl localhost'],
  [/\b(?:du|grep|tail|umask|wc)\b/, 'npm ls | wc -l'],
  [/'[^']*"[^']*'/, `node -p '"text"'`],
];

/** Returns the commands of blocks, each with the paragraphs before and after its block. */
function commandsOf(page: string): { readonly command: string; readonly around: string }[] {
  const blocks = readPage(page).matchAll(/([^\n]+)\n\n```(?:sh|console)\n([\s\S]*?)^```\n\n?([^\n]*\n?[^\n]*)/gm);
  return [...blocks].map(([, before = '', command = '', after = '']) => ({ command, around: `${before}\n${after}` }));
}

function isPortable(command: string): boolean {
  return !NOT_PORTABLE.some(([pattern]) => pattern.test(command));
}

describe('the commands of the pages', () => {
  it('work in PowerShell too, or the text beside them names the shell', () => {
    const commands = PAGES.flatMap((page) => commandsOf(page).map((command) => ({ page, ...command })));
    expect(commands).to.have.length.above(12);
    // A block that begins with a comment with the name of a file shows this file.
    const shown = commands.filter(({ command }) => !/^# [\w./-]*\.env\n/.test(command));
    const wrong = shown.filter(
      ({ command, around }) => !isPortable(command) && !/\b(?:PowerShell|bash)\b/.test(around),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('are for one shell when they look like the examples, and for any shell when they only start programs', () => {
    const portable = NOT_PORTABLE.filter(([pattern, example]) => !pattern.test(example) || isPortable(example));
    expect(portable).to.deep.equal([]);
    expect(isPortable('npm ci\nnpm start # on any system')).to.equal(true);
    expect(isPortable(`node -e "fs.writeFileSync('.env', 'JWT_SECRET=')"`)).to.equal(true);
  });
});
