import { serve } from '../harness/http.js';
import { obey } from '../harness/processes.js';
import { createApp, type Setup } from './applications.js';

// The process that serves one application.

const commands = {
  cpu: () => process.cpuUsage(),
  listen: async (setup: Setup) => serve(await createApp(setup)),
};

export type GuardServerCommands = typeof commands;
obey(commands);
