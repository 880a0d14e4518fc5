// Gives the page's test the globals of Vitest and Jest.
import { describe, it } from 'node:test';

Object.assign(globalThis, { describe, it });
