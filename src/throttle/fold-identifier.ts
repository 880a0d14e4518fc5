/** Marks, control and format characters, and what Unicode says to ignore: collations compare as if they were not there. */
const IGNORED = /[\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The form under which attempts on an email are counted: what databases' collations commonly hold for the same
 * email has the same one, so that respelling an email gives no further guesses. Two accounts can share it; they then share
 * counters, and nothing else. Lower, upper and lower case, since only ß becomes SS, and ẞ only by way of ß.
 */
export function foldEmail(email: string): string {
  return email.normalize('NFKD').replace(IGNORED, '').toLowerCase().toUpperCase().toLowerCase().replace(/ +$/, '');
}
