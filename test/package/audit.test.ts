import path from 'node:path';
import { expect } from 'chai';
import { npm } from './npm.js';
import { lockedDependencies } from './production-tree.js';

const ROOT = path.resolve(__dirname, '../..');

interface Vulnerability {
  readonly name: string;
  readonly severity: string;
  readonly nodes: readonly string[];
}

/** The output of `npm audit --json`. Without an answer of the registry it has no `vulnerabilities`. */
interface Audit {
  readonly vulnerabilities?: Readonly<Record<string, Vulnerability>>;
  readonly statusCode?: number;
}

/** Returns the severe vulnerabilities of the packages in these folders, for example `ms: high`. */
function severe(audit: Required<Pick<Audit, 'vulnerabilities'>>, folders: readonly string[]): readonly string[] {
  return Object.values(audit.vulnerabilities)
    .filter(
      ({ severity, nodes }) => ['high', 'critical'].includes(severity) && nodes.some((node) => folders.includes(node)),
    )
    .map(({ name, severity }) => `${name}: ${severity}`);
}

describe('npm audit', () => {
  it('finds no severe vulnerability in a production dependency', async function () {
    const settings = ['--fetch-retries=0', '--fetch-timeout=15000'];
    const [{ output }, dependencies] = await Promise.all([
      npm(ROOT, 'audit', '--omit=dev', '--json', ...settings),
      lockedDependencies(ROOT),
    ]);
    const { vulnerabilities, statusCode } = JSON.parse(output) as Audit;
    if (vulnerabilities === undefined) {
      const reason = statusCode === undefined ? 'does not answer audits' : `answers ${statusCode} to audits`;
      if (this.test !== undefined) this.test.title += ` (the package registry ${reason})`;
      this.skip();
    }
    const folders = dependencies.map(({ folder }) => path.relative(ROOT, folder).replaceAll(path.sep, '/'));
    expect(severe({ vulnerabilities }, folders)).to.deep.equal([]);
  });
});
