import { test } from 'node:test';
import express from 'express';
import * as auth from 'express-merchant-auth';
import { casesOf } from '../shared/cases.cjs';
import { createShortestHost } from '../shared/shortest-host.cjs';

for (const { name, run } of casesOf(() => createShortestHost(express, auth))) test(name, run);
