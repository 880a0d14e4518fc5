/** Differences of emails that some databases ignore, under their names in `userStoreContract`. */
export const foldings: readonly { readonly difference: string; readonly fold: (email: string) => string }[] = [
  { difference: 'in letter case', fold: (email) => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) },
  { difference: 'by an accent', fold: (email) => email.replaceAll('\u00e9', 'e') },
  { difference: 'in how an accent is composed', fold: (email) => email.replaceAll('e\u0301', '\u00e9') },
  { difference: 'by a control character (U+0001)', fold: (email) => email.replaceAll('\u0001', '') },
  { difference: 'by a zero-width space (U+200B)', fold: (email) => email.replaceAll('\u200b', '') },
  { difference: 'by a soft hyphen (U+00AD)', fold: (email) => email.replaceAll('\u00ad', '') },
  { difference: 'by a space at the end', fold: (email) => email.trimEnd() },
  { difference: 'by a space at the start', fold: (email) => email.trimStart() },
  { difference: 'by \u00df for ss', fold: (email) => email.replaceAll('\u00df', 'ss') },
  { difference: 'by a Kelvin sign for k', fold: (email) => email.replaceAll('\u212a', 'k') },
  { difference: 'by a dotless i', fold: (email) => email.replaceAll('\u0131', 'i') },
  { difference: 'by a capital i with a dot', fold: (email) => email.replaceAll('\u0130', 'i') },
  {
    difference: 'by full-width letters',
    fold: (email) => email.replace(/[\uff41-\uff5a]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0)),
  },
];

/** Differences that some databases ignore and the package does not, under their names in `userStoreContract`. */
export const spellings: readonly { readonly difference: string; readonly fold: (email: string) => string }[] = [
  { difference: 'by U+06DE at the end', fold: (email) => email.replace(/\u06de$/, '') },
  { difference: 'by \u00df for s', fold: (email) => email.replaceAll('\u00df', 's') },
  { difference: 'by \u0111 for d', fold: (email) => email.replaceAll('\u0111', 'd') },
];
