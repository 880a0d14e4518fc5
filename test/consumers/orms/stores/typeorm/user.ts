import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { hash, time } from './columns';

@Entity('merchants')
export class Merchant {
  @PrimaryGeneratedColumn({ type: 'bigint' }) id!: string;
  @Column({ type: 'varchar' }) referencl!: string;
  @Column({ type: 'int' }) statut!: number;
}

@Entity('users')
export class User {
  @PrimaryGeneratedColumn({ type: 'bigint' }) id!: string;
  @Column({ type: 'varchar', unique: true }) email!: string;
  @Column({ type: 'varchar', default: '' }) phone!: string;
  @Column({ ...hash, name: 'password_hash' }) passwordHash!: string | null;
  @Column({ type: 'boolean', default: false }) disabled!: boolean;
  @Column({ ...time, name: 'tokens_valid_after' }) tokensValidAfter!: Date | null;
  @ManyToOne(() => Merchant, { nullable: false }) @JoinColumn({ name: 'merchant_id' }) merchant!: Merchant;
}
