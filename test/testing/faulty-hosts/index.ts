import { codeFaults } from './code-faults.js';
import type { FaultyHost } from './fault.js';
import { mountFaults } from './mount-faults.js';
import { setupFaults } from './setup-faults.js';

/** Hosts with one fault each. */
export const FAULTY: readonly FaultyHost[] = [...mountFaults, ...setupFaults, ...codeFaults];
