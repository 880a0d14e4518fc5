import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { isApp, type Route, routesOf } from '../ask/routes.js';

interface Context {
  switchToHttp(): { getRequest(): IncomingMessage };
}
interface NestApplication {
  registerRouter: (this: NestApplication) => Promise<void>;
  useGlobalInterceptors(one: { intercept(context: Context, next: { handle(): unknown }): unknown }): void;
  getHttpAdapter(): { getInstance(): unknown };
}
/** The routes of NestJS, and the function that ends a request behind their guards. */
export interface Gate {
  readonly gated: Set<Route>;
  endsHere: (req: IncomingMessage) => boolean;
}

/** NestJS asks its guards inside of the handler. A global interceptor runs next: the gate. */
export function makeNestGate(file: string): Gate {
  const gate: Gate = { gated: new Set(), endsHere: () => false };
  try {
    const load = createRequire(file);
    const { prototype } = (load('@nestjs/core') as { NestApplication: { prototype: NestApplication } }).NestApplication;
    const { of } = load('rxjs') as { of: (value: undefined) => unknown };
    const { registerRouter } = prototype;
    prototype.registerRouter = async function () {
      this.useGlobalInterceptors({
        intercept: (context, next) =>
          gate.endsHere(context.switchToHttp().getRequest()) ? of(undefined) : next.handle(),
      });
      const app = this.getHttpAdapter().getInstance();
      const routes = () => (isApp(app) ? routesOf(app).map(({ route }) => route) : []);
      const before = new Set(routes());
      await registerRouter.call(this);
      for (const route of routes()) if (!before.has(route)) gate.gated.add(route);
    };
  } catch {
    // The app is not of NestJS.
  }
  return gate;
}
