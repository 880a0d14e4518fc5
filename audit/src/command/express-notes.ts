import { createRequire } from 'node:module';
import type { App } from '../ask/routes.js';

interface Express {
  readonly application: { init: (this: App) => void };
  readonly Router: Routing & { readonly prototype: Routing };
}
interface Routing {
  use: (this: { stack?: { rawPath?: unknown }[] }, ...args: unknown[]) => unknown;
}

/** Notes apps while they are made, and the paths of mounts, which Express before router 2.3 forgets. */
export function noteApps(file: string): ReadonlySet<App> {
  const made = new Set<App>();
  try {
    const { application, Router } = createRequire(file)('express') as Express;
    const { init } = application;
    application.init = function (...args) {
      made.add(this);
      init.apply(this, args);
    };
    const owner = Object.hasOwn(Router, 'use') ? Router : Router.prototype;
    const { use } = owner;
    owner.use = function (path, ...args) {
      const from = this.stack?.length;
      const result = use.call(this, path, ...args);
      const isPath = [path].flat().every((one) => typeof one === 'string');
      if (isPath) for (const layer of this.stack?.slice(from) ?? []) layer.rawPath ??= path;
      return result;
    };
  } catch {
    // Express is not beside the file. Apps that it exports or listens with are found all the same.
  }
  return made;
}
