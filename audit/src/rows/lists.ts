import { isOwner, isTelling, type Member, tagOf } from './answers.js';
import type { List, Side } from './side.js';

/** Usual queries for other rows. */
const PAGES = ['page=2', 'page=0', 'offset=1', 'skip=1', 'limit=1000&per_page=1000&pageSize=1000', 'all=true'];
const SEARCHES = ['q', 'search', 'query', 'filter'];

/** Only the host knows if a list may show `other` rows of `one`. */
export function questionLists({ one, other, lists, ask }: Side): void {
  const hidden = new Map<string, string>();
  for (const { path, mine, theirs } of lists)
    for (const name of theirs.isOk ? mine.names : [])
      if (!theirs.contents.has(tagOf(name)) && (isTelling(name.value) || isOwner(name))) hidden.set(tagOf(name), path);
  for (const { path, mine, theirs } of lists.filter(({ open }) => !open.isOk)) {
    const seen = theirs.names.find((name) => hidden.has(tagOf(name)));
    if (seen)
      ask(path, `shows ${other.name} the ${seen.key} that GET ${hidden.get(tagOf(seen))} shows only ${one.name}`);
    else if (mine.names.length > 0 && mine.names.every((name) => theirs.contents.has(tagOf(name))))
      ask(path, `shows ${other.name} each row that it shows ${one.name}`);
  }
}

/** Asks for other pages, and with names of `one` in searches and filters. */
export async function askList({ path, theirs }: List, side: Side): Promise<void> {
  const { one, other, own, get, showsRow, find, unclear } = side;
  if (!theirs.isOk && theirs.status !== 400) return;
  const filter = ({ key, value }: Member, name = key) => `${name}=${encodeURIComponent(value)}`;
  const searches = SEARCHES.flatMap((key) => [`${key}=`, ...own.slice(-2).map((name) => filter(name, key))]);
  const filters = new Map([...own.filter(isOwner), ...own].map((name) => [name.key, filter(name)]));
  for (const query of [...PAGES, ...searches, ...[...filters.values()].slice(0, 9)]) {
    const request = `${path}?${query}`;
    const answer = await get(request, other);
    if (answer.isLost) unclear.add(path);
    const isFound = showsRow(answer, request);
    if (isFound && !showsRow(await get(request), request))
      find(path, `showed ${other.name} a row of ${one.name} (GET ${request})`);
    if (isFound || answer.isLost) return;
  }
}
