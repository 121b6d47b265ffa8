import path from 'node:path';
import {
  checkFolder,
  drawnOf,
  levelOf,
  SPLITS,
  type SplitName,
  splitExamples,
  writeParts,
} from '../../calibration/index.ts';
import { sample, seededRandom } from '../../common/index.ts';
import type { Generator } from '../../generation/index.ts';
import { loadProfiles } from '../../profiles/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { type DatasetName, loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { machineLine } from '../measure/machine.ts';
import { exampleOf, measureArms } from '../parity/measure.ts';
import { timeArms } from '../parity/time.ts';
import { contenderArms } from './arms.ts';
import type { Aims } from './bars.ts';
import { contenderFigures } from './draw.ts';
import { measureAttempts, timeAttempts } from './measure.ts';
import { renderContenders } from './render.ts';
import { reportOn, type SetReport } from './report.ts';

export interface ContendersOptions {
  set: DatasetName;
  data: string;
  out: string;
  /** Folder of what was measured of single questions. */
  records: string;
  /** Folder of indexes. */
  cache: string;
  titles: boolean;
  /** Questions, a seeded sample; all when undefined. */
  limit: number | undefined;
  level: string;
  risk: string;
  /** Questions of the test split that are timed. */
  timing: number;
  generator: Generator | undefined;
}

/** Of the questions, by group. */
const SHARES = { tune: 0.25, calibrate: 0.25, test: 0.5 };
const SPLIT_SEED = 1;
const DELTA = '0.1';

/** Every contender on the same questions, as text; as JSON and figures in `out`. Throws ABORTED when the signal fired. */
export async function benchContenders(
  options: ContendersOptions,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<string> {
  const aims: Aims = {
    level: levelOf('level', options.level),
    risk: levelOf('risk', options.risk),
    delta: levelOf('delta', DELTA),
  };
  await checkFolder(options.out);
  const scorers = await openScorers({ announce: say });
  let report: SetReport;
  try {
    report = await measuredReport(options, aims, scorers, { say, signal });
  } finally {
    await scorers.close();
  }
  const { set } = options;
  const record = { schema: 'pragaura.bench-contenders/1', machine: machineLine(), ...report };
  const drawn = await drawnOf(contenderFigures(report).map(({ figure }) => figure));
  const parts = [
    ...drawn.map(({ name, svg }) => ({ name: `${name}.svg`, text: svg })),
    { name: `contenders-${set}.json`, text: `${JSON.stringify(record)}\n` },
  ];
  await writeParts(options.out, parts);
  const written = parts.map(({ name }) => path.join(options.out, name)).join(', ');
  return `${renderContenders(report)}\n\n${machineLine()}\nwritten: ${written}`;
}

async function measuredReport(
  options: ContendersOptions,
  aims: Aims,
  scorers: Scorers,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<SetReport> {
  const { set, records, generator } = options;
  const dataset = await loadDataset(set, options.data, { titles: options.titles });
  const index = await indexOf(dataset, options.cache, scorers, say);
  const questions = sample(dataset.queries, options.limit ?? dataset.queries.length, seededRandom(1));
  const examples = questions.map(exampleOf);
  const split = splitExamples(examples, { shares: SHARES, seed: SPLIT_SEED });
  const { budget } = loadProfiles();
  const arms = contenderArms(set, budget);
  const { measured, code } = await measureArms(
    { set, index, examples, arms, out: records, say, signal },
    scorers,
  );
  const asking = { set, index, examples, budget, generator, out: records, say, signal };
  const attempts = await measureAttempts(asking, scorers);
  const timed = split.test.slice(0, options.timing);
  const times = new Map([
    ...(await timeArms({ set, index, examples: timed, arms, code, out: records, say, signal }, scorers)),
    ...(await timeAttempts({ ...asking, examples: timed }, scorers)),
  ]);
  return reportOn({
    set: { name: set, about: dataset.about },
    arms: measured,
    attempts,
    splitOf: new Map(SPLITS.flatMap((name) => split[name].map(({ id }): [string, SplitName] => [id, name]))),
    split: split.report,
    times,
    aims,
  });
}
