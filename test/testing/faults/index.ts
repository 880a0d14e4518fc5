import type { Faults } from '../table-store.js';
import { accountFaults } from './accounts.js';
import { emailFaults } from './emails.js';
import { findByIdsFaults, idFaults } from './ids.js';
import { instantFaults } from './instants.js';
import { replaceHashFaults } from './replace-hash.js';

/** Stores that are wrong in one way each. */
export const faults: Faults = {
  ...accountFaults,
  ...emailFaults,
  ...idFaults,
  ...findByIdsFaults,
  ...instantFaults,
  ...replaceHashFaults,
};
