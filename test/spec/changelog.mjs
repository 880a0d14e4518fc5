// Reads CHANGELOG.md.

/** Returns the date and the text of a version in the changelog, or `undefined` if it has no such section. */
export function sectionOf(changelog, version) {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${version} - `));
  if (section === undefined) return undefined;
  const [heading, ...lines] = section.split('\n');
  const [, date] = /^\S+ - (\d{4}-\d{2}-\d{2})$/.exec(heading) ?? [];
  return { date, text: lines.join('\n').trim() };
}

/**
 * Returns the notes of a release.
 * @throws Error when the tag is not the version, or when the changelog has no dated section about it
 */
export function releaseNotes(tag, version, changelog) {
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json has the version ${version}.`);
  const section = sectionOf(changelog, version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} - DATE".`);
  if (section.date === undefined) throw new Error(`The section of ${version} in CHANGELOG.md has no date.`);
  if (section.text === '') throw new Error(`The section of ${version} in CHANGELOG.md is empty.`);
  return section.text;
}
