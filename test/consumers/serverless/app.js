'use strict';

const express = require('express');
const auth = require('express-merchant-auth');
const { createShortestHost } = require('../../../shared/shortest-host.cjs');

// The npm script copies this file beside the code of the page.
exports.app = createShortestHost(express, auth);
