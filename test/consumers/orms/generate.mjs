// Generates the client of Prisma, and makes the folders of the stores on MySQL, which have most files from those on
// PostgreSQL. The variable names a file that exists, because Prisma otherwise downloads an engine, which it does not need
// to generate.
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const prisma = fileURLToPath(new URL('node_modules/prisma/build/index.js', import.meta.url));
const args = [prisma, 'generate', '--schema', 'stores/prisma/schema.prisma'];
const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1;

for (const orm of ['drizzle', 'knex', 'sequelize', 'typeorm']) {
  cpSync(`stores/${orm}`, `stores/${orm}-mysql`, { recursive: true, force: false });
}
