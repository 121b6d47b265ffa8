/** `npm run validity [calibrations]`: thousands of calibrations, violations counted against the promises. */
import { columns } from '../../common/index.ts';
import { monitorValidity } from '../monitor/validity.ts';
import { coverageFindings } from './coverage.ts';
import { documentFindings } from './documents.ts';
import { factualityFindings } from './factuality.ts';
import { riskFindings } from './risk.ts';

const trials = Number(process.argv[2] ?? 5_000);
if (!Number.isSafeInteger(trials) || trials < 100) {
  process.stderr.write('Calibrations a world: a whole number of at least 100.\n');
  process.exit(2);
}
const findings = [
  ...coverageFindings(trials),
  ...riskFindings(trials),
  ...documentFindings(trials),
  ...factualityFindings(trials),
];
const rows = findings.map(({ promise, world, trials: made, allowed, seen, holds }) => [
  holds === null ? '-' : holds ? 'OK' : 'FAIL',
  promise,
  world,
  String(made),
  allowed,
  seen,
]);
const header = ['', 'promise', 'world', 'calibrations', 'allowed', 'seen'];
process.stdout.write(`${columns([header, ...rows], () => true).join('\n')}\n`);
const failed = findings.filter(({ holds }) => holds === false).length;
process.stdout.write(`\n${findings.length} findings, ${failed} promises broken\n\n`);
const monitor = await monitorValidity({ streams: Math.min(trials, 2_000) });
process.stdout.write(`${monitor.lines.join('\n')}\n\nMonitor: ${monitor.failures} promises broken\n`);
process.exitCode = failed + monitor.failures === 0 ? 0 : 1;
