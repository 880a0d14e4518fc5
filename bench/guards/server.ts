import timers from 'node:timers';
import { serve } from '../harness/http.js';
import { obey } from '../harness/processes.js';
import type { Setup } from './applications.js';

// The process that serves one application.

const commands = {
  cpu: () => process.cpuUsage(),
  async listen(setup: Setup) {
    const { setImmediate } = timers;
    // The package keeps the function that it finds when it is loaded. This one calls at once.
    if (setup.guard === 'complete guard, at once') {
      Object.assign(timers, { setImmediate: (run: () => void) => run() });
    }
    const { createApp } = await import('./applications.js');
    const app = await createApp(setup);
    Object.assign(timers, { setImmediate });
    return serve(app);
  },
};

export type GuardServerCommands = typeof commands;
obey(commands);
