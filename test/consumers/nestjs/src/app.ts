import 'reflect-metadata';
import {
  Body,
  Controller,
  type DynamicModule,
  Get,
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

@Controller('v1/merchants')
class MerchantsController {
  @Get(':refercence_cl/balance')
  balance(@Req() req: Request) {
    return { refercence_cl: req.params.refercence_cl, balance: 0 };
  }
}

@Controller('admin')
class AdminController {
  @Get()
  list() {
    return [];
  }
}

@Module({ controllers: [TransactionsController, MerchantsController] })
class PlainModule {}

@Module({ controllers: [AdminController] })
class AdminModule {}

/** Mounts login, guard and error handler on the app, before the routes of NestJS, as docs/existing-app.md does. */
export async function createWithUse(
  userStore: auth.UserStore,
  module: object = PlainModule,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(module as typeof PlainModule, {
    bodyParser: false,
    logger: ['error', 'warn'],
  });
  app.use('/v1', auth.createLoginRouter(userStore));
  app.use('/v1', auth.requireBearer({ userStore }));
  app.use('/v1/transactions', auth.requireOwnReference());
  app.use('/v1/merchants/:refercence_cl', auth.requireOwnReference());
  app.use(auth.authErrorHandler());
  return app;
}

/** The module of the page, with a route that the guard does not cover. */
@Module({ imports: [PlainModule, AdminModule] })
export class OpenModule {}

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
