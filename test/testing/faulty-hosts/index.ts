import type { FaultyHost } from './fault.js';
import { mountFaults } from './mount-faults.js';
import { setupFaults } from './setup-faults.js';
import { storeFaults } from './store-faults.js';

/** Hosts with one fault each. The page lists them under the tool. */
export const FAULTY: readonly (FaultyHost & { readonly tool: string })[] = [
  ...mountFaults,
  ...setupFaults,
  ...storeFaults,
].map((faulty) => ({ ...faulty, tool: 'authContract' }));
