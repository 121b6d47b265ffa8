/**
 * `npm run faults`: jobs through a real Redis while workers, Redis, wires, threads and disks fail, and every result held
 * against what `route` gives. Ends with 1 when one of them is not as it should be.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lightFleet, realFleet } from './fleet.ts';
import { brokenReport, type FaultReport, holds, renderFaults } from './report.ts';
import { type RunOptions, runScenario, runStrikes } from './run-fault.ts';
import { SCENARIOS } from './scenarios.ts';
import { STRIKES } from './strikes.ts';

const HELP = `npm run faults [-- OPTIONS]

  --jobs N      jobs of each kind of fault at least, decided without models (default 800)
  --strikes N   how often each kind strikes (default 6)
  --real N      jobs of each kind with the real models over the demo collection; 0: none (default 30)
  --only TEXT   only faults whose name has this text in it
  --seed TEXT   of the moments at which they strike (default "1")
  --json        one JSON object instead of tables
`;

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '800' },
    strikes: { type: 'string', default: '6' },
    real: { type: 'string', default: '30' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Strikes that mean something else, or more, with real models. */
const WITH_MODELS = ['a worker killed', 'longer than its lock', 'inference thread', 'append-only file'];
const REAL_STRIKES = 2;

if (values.help) process.stdout.write(HELP);
// A run that broke off may have left something that would go on for ever.
else process.exit((await main()) ? 0 : 1);

async function main(): Promise<boolean> {
  const [jobs, strikes, real] = [count(values.jobs), count(values.strikes), count(values.real)];
  const folder = mkdtempSync(join(tmpdir(), 'pragaura-faults-'));
  try {
    const light = { workers: 2, concurrency: 8, lockMs: 1_500, ahead: 200, jobs, strikes, seed: values.seed };
    const reports = await all({ ...light, fleet: lightFleet(40) }, () => true);
    const withModels: FaultReport[] = [];
    if (real > 0) {
      const options = {
        ...light,
        jobs: real,
        strikes: REAL_STRIKES,
        lockMs: 3_000,
        concurrency: 4,
        ahead: 20,
      };
      const strikesOf = (name: string) => WITH_MODELS.some((part) => name.includes(part));
      withModels.push(...(await all({ ...options, fleet: realFleet(folder) }, strikesOf)));
    }
    if (values.json) process.stdout.write(`${JSON.stringify({ light: reports, real: withModels })}\n`);
    else {
      process.stdout.write(`Decided without models, from the query alone:\n\n${renderFaults(reports)}\n`);
      if (real > 0)
        process.stdout.write(
          `\nDecided with the real models, demo collection:\n\n${renderFaults(withModels)}\n`,
        );
    }
    return [...reports, ...withModels].every(holds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Strikes, and scenarios where all are wanted. */
async function all(options: RunOptions, wanted: (name: string) => boolean): Promise<FaultReport[]> {
  const reports: FaultReport[] = [];
  const run = async (name: string, work: () => Promise<FaultReport>) => {
    if (!wanted(name) || !name.includes(values.only)) return;
    const startedAt = performance.now();
    const report = await work().catch((error: unknown) =>
      brokenReport(name, (performance.now() - startedAt) / 1_000, error),
    );
    process.stderr.write(holds(report) ? `OK: ${name}\n` : `FAIL: ${JSON.stringify(report)}\n`);
    reports.push(report);
  };
  for (const strike of STRIKES) await run(strike.name, () => runStrikes(strike, options));
  for (const scenario of SCENARIOS) {
    if (options.fleet.isLight) await run(scenario.name, () => runScenario(scenario, options));
  }
  return reports;
}

function count(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  process.stderr.write(`"${text}" is no whole number.\n${HELP}`);
  process.exit(2);
}
