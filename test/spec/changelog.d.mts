export function sectionOf(
  changelog: string,
  version: string,
): { readonly date: string | undefined; readonly text: string } | undefined;

export function releaseNotes(tag: string, version: string, changelog: string): string;
