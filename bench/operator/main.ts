import { writePicture } from '../harness/page.js';
import { runMain } from '../harness/run-main.js';
import { drawFlood } from './draw-flood.js';

const PACE = { quietMs: 5_000, floodMs: 15_000 };

/** Draws docs/login-flood.svg: the metrics of the example app while strangers guess passwords. */
runMain(async () => {
  console.log(`Strangers guess passwords for ${PACE.floodMs / 1000} s.`);
  writePicture('login-flood.svg', await drawFlood(PACE));
  console.log('Drawn to docs/login-flood.svg.');
  return true;
});
