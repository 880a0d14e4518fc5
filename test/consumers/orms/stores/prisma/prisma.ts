import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client';
import { PrismaUserStore } from './prisma-user-store';

export const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) });
export const userStore = new PrismaUserStore(prisma);
