// @vitest-environment happy-dom
// happy-dom replaces globals such as AbortController before the package is loaded. No request may depend on them.
import express from 'express';
import * as auth from 'express-merchant-auth';
import { test } from 'vitest';
import { casesOf } from '../shared/cases.cjs';
import { createShortestHost } from '../shared/shortest-host.cjs';

for (const { name, run } of casesOf(() => createShortestHost(express, auth))) test(`in happy-dom, ${name}`, run);
