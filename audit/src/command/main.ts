#!/usr/bin/env node
import { STEP_MS } from './find-apps.js';
import { runCommand } from './run-command.js';

runCommand(STEP_MS);
