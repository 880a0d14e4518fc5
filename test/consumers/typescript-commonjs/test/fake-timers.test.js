// Jest replaces the global timers and process.nextTick after the modules are loaded. No request may depend on them.
const express = require('express');
const auth = require('express-merchant-auth');
const { casesOf } = require('../../shared/cases.cjs');
const { createShortestHost } = require('../../shared/shortest-host.cjs');

const createApp = () => createShortestHost(express, auth);

afterEach(() => jest.useRealTimers());

for (const { name, run } of casesOf(createApp, () => jest.useFakeTimers())) {
  test(`with fake timers, ${name}`, run);
}
