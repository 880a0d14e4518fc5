import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Body, Controller, Get, Module, NotFoundException, Param, Post, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, Request } from 'express';
import * as auth from 'express-merchant-auth';

@Controller('v1/transactions')
class TransactionsController {
  readonly #rows: { id: string; refercence_cl: string; amount?: number }[] = [];

  @Post()
  create(@Req() req: Request, @Body() { amount }: { amount?: number }) {
    const row = { id: randomUUID(), refercence_cl: auth.merchantOf(req).referencl, amount };
    this.#rows.push(row);
    return row;
  }

  @Get(':id')
  find(@Req() req: Request, @Param('id') id: string) {
    const { referencl } = auth.merchantOf(req);
    const row = this.#rows.find((each) => each.id === id && each.refercence_cl === referencl);
    if (!row) throw new NotFoundException();
    return row;
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
  const nest = await NestFactory.create<NestExpressApplication>(module as typeof PlainModule, {
    bodyParser: false,
    logger: ['error', 'warn'],
  });
  const app: Express = nest.getHttpAdapter().getInstance();
  app.use('/v1', auth.createLoginRouter(userStore));
  app.use('/v1', auth.requireBearer({ userStore }));
  app.post('/v1/transactions', auth.requireOwnReference());
  app.use('/v1/merchants/:refercence_cl', auth.requireOwnReference());
  app.use(auth.authErrorHandler());
  return nest;
}

/** The module of the page, with a route that the guard does not cover. */
@Module({ imports: [PlainModule, AdminModule] })
export class OpenModule {}
