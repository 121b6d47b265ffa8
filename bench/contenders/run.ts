import path from 'node:path';
import { checkFolder, drawnOf, levelOf, writeParts } from '../../calibration/index.ts';
import type { Generator } from '../../generation/index.ts';
import { loadProfiles } from '../../profiles/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import type { DatasetName } from '../datasets/index.ts';
import { machineLine } from '../measure/machine.ts';
import { measureArms } from '../parity/measure.ts';
import { type QuestionOptions, questionsOf } from '../parity/questions.ts';
import { timeArms } from '../parity/time.ts';
import { contenderArms } from './arms.ts';
import type { Aims } from './bars.ts';
import { contenderFigures } from './draw.ts';
import { measureAttempts, timeAttempts } from './measure.ts';
import { renderContenders } from './render.ts';
import { reportOn, type SetReport } from './report.ts';

export interface ContendersOptions extends QuestionOptions {
  set: DatasetName;
  out: string;
  /** Folder of what was measured of single questions. */
  records: string;
  level: string;
  risk: string;
  /** Questions of the test split that are timed. */
  timing: number;
  generator: Generator | undefined;
}

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
  const { about, index, examples, split, splitOf } = await questionsOf(set, options, scorers, say);
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
    set: { name: set, about },
    arms: measured,
    attempts,
    splitOf,
    split: split.report,
    times,
    aims,
  });
}
