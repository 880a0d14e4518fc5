import express from 'express';
import * as auth from 'express-merchant-auth';
import { createShortestHost } from '../shared/shortest-host.cjs';

export const createApp = () => createShortestHost(express, auth);
