/** @jest-environment jsdom */
// jsdom replaces globals such as AbortController before the modules are loaded. No request may depend on them.
const express = require('express');
const auth = require('express-merchant-auth');
const { casesOf } = require('../../shared/cases.cjs');
const { createShortestHost } = require('../../shared/shortest-host.cjs');

for (const { name, run } of casesOf(() => createShortestHost(express, auth))) test(`in jsdom, ${name}`, run);
