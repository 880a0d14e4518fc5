import 'reflect-metadata';
import {
  Body,
  Controller,
  type DynamicModule,
  Inject,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Post,
  Req,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import * as auth from 'express-merchant-auth';

@Controller('v1/transactions')
class TransactionsController {
  @Post()
  create(@Req() req: Request, @Body() body: { amount?: number }) {
    const { referencl } = auth.merchantOf(req);
    return { refercence_cl: referencl, amount: body.amount };
  }
}

@Module({ controllers: [TransactionsController] })
class PlainModule {}

/** Mounts login, guard and error handler on the app, before the routes of NestJS. */
export async function createWithUse(userStore: auth.UserStore): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(PlainModule, { logger: ['error', 'warn'] });
  app.use('/v1', auth.createLoginRouter(userStore));
  app.use('/v1', auth.requireBearer({ userStore }));
  app.use('/v1/transactions', auth.requireOwnReference());
  app.use(auth.authErrorHandler());
  return app.init();
}

@Module({ controllers: [TransactionsController] })
class GuardedModule implements NestModule {
  constructor(@Inject('userStore') private readonly userStore: auth.UserStore) {}

  static with(userStore: auth.UserStore): DynamicModule {
    return { module: GuardedModule, providers: [{ provide: 'userStore', useValue: userStore }] };
  }

  configure(consumer: MiddlewareConsumer): void {
    const { userStore } = this;
    consumer.apply(auth.createLoginRouter(userStore)).forRoutes('v1');
    consumer.apply(auth.requireBearer({ userStore }), auth.requireOwnReference()).forRoutes(TransactionsController);
  }
}

/** Leaves login and guard to a module. */
export async function createWithModule(userStore: auth.UserStore): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(GuardedModule.with(userStore), {
    logger: ['error', 'warn'],
  });
  return app.init();
}
