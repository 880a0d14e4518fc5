/** The names of a guard with `referenceNames`, for the suites that send generated requests. */
export const HOST_NAMES = ['merchantId', 'wallet_id'] as const;

const WORDS: Readonly<Record<string, readonly [first: string, joint: string, second: string]>> = {
  merchantId: ['merchant', '', 'Id'],
  wallet_id: ['wallet', '_', 'id'],
};

/** Writes another name in the place of `refercence_cl`, in the letter case and with the escapes of each place. */
export function renamed(text: string, name = 'refercence_cl'): string {
  const [first, joint, second] = WORDS[name] ?? ['refercence', '_', 'cl'];
  const hex = first.charCodeAt(0).toString(16);
  const starts: Readonly<Record<string, string>> = {
    '%72': `%${hex}`,
    '\\u0072': `\\u00${hex}`,
    R: first.charAt(0).toUpperCase(),
  };
  return text.replace(
    /(r|R|%72|\\u0072)(efercence)([_ +.[])(cl)/gi,
    (_all, start: string, rest: string, sign: string, end: string) => {
      const toCase = (word: string, model: string) => (model === model.toUpperCase() ? word.toUpperCase() : word);
      const head = `${starts[start] ?? first.charAt(0)}${toCase(first.slice(1), rest)}`;
      return `${head}${sign === '_' ? joint : sign}${toCase(second, end)}`;
    },
  );
}
