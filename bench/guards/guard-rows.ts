import { type Bound, type Figures, isCurrent, type Row, type Run } from '../harness/rows.js';
import { BARE, figuresOf, ratioName, tableOf } from '../harness/sides.js';
import type { GuardName } from './applications.js';
import { generateKey, type Key, MERCHANTS } from './keys.js';
import { prepareRequests, type TokenKind } from './requests.js';
import { inTwoSets, type Side, withServers } from './stand.js';

const MINE = 'complete guard';
const NEW = 'complete guard, new tokens';
const ALGORITHMS = ['HS256', 'RS256'] as const;
const OTHERS = [
  'bare Express, setImmediate',
  'express-jwt',
  'express-oauth2-jwt-bearer',
  'passport-jwt, KeyObject',
  'passport-jwt, string',
] as const satisfies readonly GuardName[];
const DICTIONARY_MODE = 'bare Express, dictionary mode';
const LINES = [BARE, MINE, NEW, ...OTHERS];

/** More tokens than the cache of the guard holds, so that it has dropped each one before it comes again. */
const NEW_TOKENS = MERCHANTS * 1.2;

async function measureGuard(run: Run): Promise<Figures> {
  const names: GuardName[] = isCurrent(run.node) ? [MINE, ...OTHERS] : [MINE, ...OTHERS, DICTIONARY_MODE];
  const setups: Record<string, { readonly guard: GuardName }> = {};
  for (const guard of names) setups[guard] = { guard };
  const figures: Figures[] = [];
  for (const algorithm of ALGORITHMS) {
    const key = generateKey(algorithm);
    const [known, fresh] = [1_000, NEW_TOKENS].map((count) => prepareRequests(key, 'accepted', count));
    const sides: Record<string, Side> = Object.fromEntries(
      names.map((name) => [name, { server: name, requests: 'known' }]),
    );
    sides[NEW] = { server: MINE, requests: 'new' };
    const measured = await inTwoSets({ ...run, blocks: run.blocks * 2 }, (half) =>
      withServers(half, key, setups, async (stand) => {
        await stand.prepare('known', known ?? []);
        await stand.prepare('new', fresh ?? []);
        await stand.warmUp(sides);
        return { [algorithm]: await stand.compare(sides) };
      }),
    );
    figures.push(figuresOf(algorithm, measured[algorithm] ?? {}, MINE));
  }
  return Object.assign({}, ...figures) as Figures;
}

const target = (algorithm: string, name: string, atLeast: number): Record<string, Bound> => ({
  [ratioName(algorithm, name, MINE)]: { atLeast },
});

export const guard: Row = {
  measures: 'all guards with good tokens, and this one with tokens that it has not seen',
  targets: Object.assign(
    target('HS256', 'express-jwt', 1.2),
    target('RS256', 'express-jwt', 1.75),
    ...ALGORITHMS.flatMap((algorithm) => [
      target(algorithm, BARE, 0.9),
      target(algorithm, 'bare Express, setImmediate', 0.7),
      target(algorithm, 'express-oauth2-jwt-bearer', 2.4),
    ]),
  ) as Row['targets'],
  measure: measureGuard,
  table: (figures) => {
    const isOlder = Object.keys(figures).some((name) => name.includes(DICTIONARY_MODE));
    const lines = [...LINES, ...(isOlder ? [DICTIONARY_MODE] : [])];
    return tableOf(
      ['guard'],
      ALGORITHMS,
      MINE,
      lines.map((name) => ({ cells: [name], name, labels: ALGORITHMS })),
      figures,
    );
  },
  isOnPage: true,
};

const REFUSED = ['no token', 'garbage', 'bad signature', 'expired'] as const satisfies readonly TokenKind[];
const KINDS = ['accepted', ...REFUSED] as const;

/** Measures all kinds of tokens on one server. */
async function measureRefused(run: Run): Promise<Figures> {
  const key: Key = generateKey('HS256');
  const sides = Object.fromEntries(KINDS.map((kind) => [kind, { server: MINE, requests: kind }]));
  return withServers(run, key, { [MINE]: { guard: MINE } }, async (stand) => {
    for (const kind of KINDS) await stand.prepare(kind, prepareRequests(key, kind, 1));
    await stand.warmUp(sides);
    return figuresOf('HS256', await stand.compare(sides), 'accepted');
  });
}

export const refused: Row = {
  measures: 'requests that the guard refuses, beside accepted ones',
  targets: Object.fromEntries(REFUSED.map((kind) => [ratioName('HS256', kind, 'accepted'), { atMost: 1 }])),
  measure: measureRefused,
  table: (figures) => {
    const lines = [BARE, ...KINDS].map((name) => ({ cells: [name], name, labels: ['HS256'] }));
    return tableOf(['token'], ['HS256'], 'accepted', lines, figures);
  },
};
