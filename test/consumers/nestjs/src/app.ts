import 'reflect-metadata';
import { Body, Controller, Get, Module, Post, Req } from '@nestjs/common';
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
export async function createHost(
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
