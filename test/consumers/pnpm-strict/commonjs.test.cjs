'use strict';

const { test } = require('node:test');
const express = require('express');
const auth = require('express-merchant-auth');
const { casesOf } = require('../shared/cases.cjs');
const { createShortestHost } = require('../shared/shortest-host.cjs');

for (const { name, run } of casesOf(() => createShortestHost(express, auth))) test(name, run);
