import { machineFacts, machineLine, versionsOf } from '../harness/machine.js';
import { showProblems } from '../harness/problems.js';
import { stage } from '../harness/progress.js';
import { writeResults } from '../harness/results.js';
import { runMain } from '../harness/run-main.js';
import { readCommandLine } from '../harness/settings.js';
import { spreadOf } from '../harness/statistics.js';
import { figure, spreadText, table } from '../harness/table.js';
import { loginProblems, loginRatio, type LoginTurn, measureLogins, SIDES } from './measure-logins.js';
import { COMMAND_LINE } from './settings.js';

const ROWS: readonly (readonly [title: string, read: (turn: LoginTurn) => number])[] = [
  ['per second', ({ perSecond }) => perSecond],
  ['CPU ms each', ({ cpuMs }) => cpuMs],
  ['of that, event loop', ({ loopMs }) => loopMs],
  ['CPU ms of the callers', ({ callersMs }) => callersMs ?? Number.NaN],
  ['cores idle, %', ({ idle }) => (idle ?? Number.NaN) * 100],
  ['p50, ms', ({ latency }) => latency?.p50 ?? Number.NaN],
  ['p99, ms', ({ latency }) => latency?.p99 ?? Number.NaN],
];

runMain(async (args, env) => {
  const settings = readCommandLine(COMMAND_LINE, args, env);
  if (settings === undefined) return true;
  const machine = machineFacts();
  const versions = versionsOf(['express', '@node-rs/argon2']);
  console.log(machineLine(machine, versions));

  const { rounds, callers, 'slice-ms': sliceMs, 'max-concurrent-hashes': maxConcurrentHashes } = settings;
  const turns = await stage(
    `${callers} callers log in, ${rounds} rounds`,
    () => measureLogins({ rounds, callers, maxConcurrentHashes, sliceMs }, SIDES),
    (all) => `${figure(loginRatio(all, 'login over HTTP').rate.median)} of the hash library alone`,
  );
  const ratio = { login: loginRatio(turns, 'login over HTTP'), bare: loginRatio(turns, 'bare Express') };
  const rows = ROWS.map(([title, read]) => [
    title,
    ...SIDES.map((side) => spreadText(spreadOf(turns[side].map(read)))),
  ]);
  console.log(`\n${table([['median (lowest to highest)', ...SIDES], ...rows])}\n`);
  console.log(
    table([
      ['over the hash library alone', 'login over HTTP', 'bare Express'],
      ['per second', spreadText(ratio.login.rate), spreadText(ratio.bare.rate)],
      ['by processor time of the server', spreadText(ratio.login.cpu), spreadText(ratio.bare.cpu)],
    ]),
  );
  const problems = loginProblems(turns);
  const measuredAt = new Date().toISOString();
  const file = writeResults('login', { measuredAt, machine, versions, settings, turns, ratio, problems });
  console.log(`\nWritten to ${file}.`);
  return showProblems(problems);
});
