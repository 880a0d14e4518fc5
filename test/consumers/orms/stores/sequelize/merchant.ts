import { DataTypes, Model } from 'sequelize';
import type { CreationOptional, InferAttributes, InferCreationAttributes, Sequelize } from 'sequelize';

export class Merchant extends Model<InferAttributes<Merchant>, InferCreationAttributes<Merchant>> {
  declare id: CreationOptional<string | number>;
  declare email: string;
  declare phone: string;
  declare passwordHash: string | null;
  declare referencl: string;
  declare statut: number;
  declare disabled: CreationOptional<boolean>;
  declare tokensValidAfter: Date | null;
}

export function defineMerchant(sequelize: Sequelize): void {
  const columns = {
    id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
    email: { type: DataTypes.STRING, allowNull: false, unique: true },
    phone: { type: DataTypes.STRING, allowNull: false, defaultValue: '' },
    passwordHash: DataTypes.STRING,
    referencl: { type: DataTypes.STRING, allowNull: false },
    statut: { type: DataTypes.INTEGER, allowNull: false },
    disabled: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
    tokensValidAfter: DataTypes.DATE(3),
  };
  const collation = sequelize.getDialect() === 'postgres' ? {} : { charset: 'utf8mb4', collate: 'utf8mb4_bin' };
  Merchant.init(columns, { sequelize, tableName: 'merchants', underscored: true, timestamps: false, ...collation });
}
