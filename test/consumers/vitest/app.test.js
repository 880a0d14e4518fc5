import express from 'express';
import * as auth from 'express-merchant-auth';
import { afterEach, test, vi } from 'vitest';
import { casesOf } from '../shared/cases.cjs';
import { createShortestHost } from '../shared/shortest-host.cjs';

const createApp = () => createShortestHost(express, auth);
// Vitest cannot replace process.nextTick in a child process. It runs the tests in one.
const toFake = ['Date', 'performance', 'queueMicrotask', 'hrtime'].concat(
  ['Timeout', 'Interval', 'Immediate'].flatMap((timer) => [`set${timer}`, `clear${timer}`]),
);

afterEach(() => vi.useRealTimers());

for (const { name, run } of casesOf(createApp)) test(name, run);
for (const { name, run } of casesOf(createApp, () => vi.useFakeTimers())) test(`with fake timers, ${name}`, run);
for (const { name, run } of casesOf(createApp, () => vi.useFakeTimers({ toFake }))) {
  test(`with all timers fake, ${name}`, run);
}
