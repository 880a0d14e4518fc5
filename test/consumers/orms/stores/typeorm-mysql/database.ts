import { DataSource } from 'typeorm';
import { TypeOrmUserStore } from './typeorm-user-store';
import { Merchant, User } from './user';

const { DATABASE_URL: url = '' } = process.env;
export const dataSource = new DataSource({ type: 'mysql', url, timezone: 'Z', entities: [Merchant, User] });
export const userStore = new TypeOrmUserStore(dataSource);
