export const hash = { type: 'varchar', nullable: true, collation: 'utf8mb4_bin' } as const;
export const time = { type: 'datetime', precision: 3, nullable: true } as const;
