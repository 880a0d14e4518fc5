export const hash = { type: 'varchar', nullable: true } as const;
export const time = { type: 'timestamptz', precision: 3, nullable: true } as const;
