import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('merchants', (table) => {
    table.bigIncrements('id');
    table.string('email').notNullable().unique();
    table.string('phone').notNullable().defaultTo('');
    table.string('password_hash').collate('utf8mb4_bin'); // for MySQL; PostgreSQL ignores it
    table.string('referencl').notNullable();
    table.integer('statut').notNullable();
    table.boolean('disabled').notNullable().defaultTo(false);
    table.datetime('tokens_valid_after', { precision: 3 });
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('merchants');
}
