import { casesFor, type Place } from './cases.js';
import type { World } from './world.js';

/** The result of one case. */
export interface CaseResult {
  readonly name: string;
  /** `undefined` when the client keeps the promise. */
  readonly failure?: string;
}

/** Runs the cases one after another, with the built client. The bundle of this file runs in a page, in Deno and in Bun. */
export async function runCases(place: Place, addresses: World): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const { name, run } of casesFor(place)) {
    try {
      await run(addresses);
      results.push({ name });
    } catch (error) {
      results.push({ name, failure: String(error) });
    }
  }
  return results;
}
