import { absenceFaults } from './absence.js';
import { accountFaults } from './account.js';
import { allowedSourcesFaults } from './allowed-sources.js';
import { copyFaults } from './copies.js';
import { emailFaults } from './emails.js';
import type { Fault } from './fault.js';
import { findByIdsFaults } from './find-by-ids.js';
import { hashFaults } from './hashes.js';
import { idFaults } from './ids.js';
import { instantFaults } from './instants.js';
import { otherSpellingFaults } from './other-spellings.js';
import { replaceHashFaults } from './replace-hash.js';

/** Stores that are wrong in one way each. */
export const faults: readonly Fault[] = [
  ...absenceFaults,
  ...emailFaults,
  ...otherSpellingFaults,
  ...idFaults,
  ...accountFaults,
  ...instantFaults,
  ...allowedSourcesFaults,
  ...findByIdsFaults,
  ...hashFaults,
  ...replaceHashFaults,
  ...copyFaults,
];
