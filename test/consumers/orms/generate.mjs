// Generates the client of Prisma, and copies the store for Drizzle, which is the same file on MySQL. The variable names a
// file that exists, because Prisma otherwise downloads an engine, which it does not need to generate.
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const prisma = fileURLToPath(new URL('node_modules/prisma/build/index.js', import.meta.url));
const args = [prisma, 'generate', '--schema', 'docs/prisma/schema.prisma'];
const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1;

copyFileSync('docs/drizzle/drizzle-user-store.ts', 'docs/drizzle/mysql/drizzle-user-store.ts');
