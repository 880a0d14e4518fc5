import { demand, show } from '../messages.js';
import { merchant, neighborOf } from '../merchants.js';
import type { StoreCases } from '../trial.js';

function demandNull(found: unknown, call: string): void {
  demand(
    found === null,
    `${call} resolved to ${found === undefined ? 'undefined' : 'something'} where there is no such account. ` +
      'Resolve to null: rows[0] ?? null.',
  );
}

export const absenceCases: StoreCases = {
  'findCredentials resolves to null when no account has the email': async (trial) => {
    const nobody = 'nobody@boutique.example';
    demandNull(await trial.findCredentials(nobody), `findCredentials(${show(nobody)})`);
    await trial.seedOne(merchant(1));
    demandNull(await trial.findCredentials(nobody), `findCredentials(${show(nobody)})`);
  },
  'findById resolves to null when no account has the id': async (trial) => {
    const { id } = await trial.seedOne(merchant(1));
    const nobody = neighborOf(id);
    demandNull(await trial.findById(nobody), `findById(${show(nobody)})`);
  },
};
