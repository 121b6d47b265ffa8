import path from 'node:path';
import { checkFolder, codeHash, writeParts } from '../../calibration/index.ts';
import { canonicalHash, PragauraError, writeWholeFile } from '../../common/index.ts';
import type { PlannerModel, Utilities } from '../../router/index.ts';
import { type ModelChoice, modelNames, openScorers } from '../../scorers/index.ts';
import type { MeasuredSet } from '../decisions/planners.ts';
import { keepFigures } from '../figures/figures-file.ts';
import { machineLine } from '../measure/machine.ts';
import { ResultsFile } from '../measure/results-file.ts';
import type { Fits } from './fits.ts';
import { type Header, linesOf, readLines } from './lines.ts';
import { renderCarryOver } from './render.ts';
import { reportOn } from './report.ts';
import { measureCarrySet, parseCarryNames } from './sets.ts';

export interface CarryOverOptions {
  /** Names, separated by commas; undefined: all. */
  sets: string | undefined;
  /** What an earlier run wrote: nothing is asked again; undefined: everything that is not kept is measured. */
  measured: string | undefined;
  data: string;
  out: string;
  cache: string;
  limit: number | undefined;
  documents: number;
  threads: number | undefined;
  models: ModelChoice;
  utilities: Utilities;
  /** File for the planner of the same signs, fitted on all sets; undefined: none is written. */
  fit: string | undefined;
  /** File that the figures are kept in for the pages; undefined: none. */
  figures: string | undefined;
  json: boolean;
}

interface Told {
  say: (line: string) => void;
  signal: AbortSignal;
}

const LINES = 'carry-over.ndjson';
const RECORD = 'carry-over.json';

/**
 * Measures every set, fits on all but one for each, and reports on that one; gives what goes to standard output. Facts are
 * kept in `out` query by query, and all of them as JSON lines. Throws what loading, indexing, routing and fitting throw,
 * and ABORTED when the signal fires.
 */
export async function benchCarryOver(options: CarryOverOptions, told: Told): Promise<string> {
  const { out, measured, figures, fit, json } = options;
  await checkFolder(out);
  const { header, sets } =
    measured === undefined ? await measuredNow(options, told) : await chosen(options, measured);
  const { report, all } = await reported(sets, options, told);
  const record = JSON.stringify({ schema: 'pragaura.bench-carry-over/1', ...header, report });
  await writeParts(out, [{ name: RECORD, text: `${record}\n` }]);
  told.say(`All figures: ${path.join(out, RECORD)}`);
  if (fit !== undefined && all !== null) await writePlanner(fit, all, told.say);
  if (figures !== undefined) {
    const questions = canonicalHash(
      sets.map(({ name, facts }) => ({ name, ids: facts.map(({ id }) => id) })),
    );
    await keepFigures(figures, { models: header.models, data: { questions }, report });
  }
  return json ? record : `${renderCarryOver(report)}\n\n${header.machine}`;
}

async function measuredNow(options: CarryOverOptions, told: Told): ReturnType<typeof readLines> {
  const { out, threads, models } = options;
  const names = parseCarryNames(options.sets);
  const scorers = await openScorers({
    ...models,
    ...(threads !== undefined && { threads }),
    announce: told.say,
  });
  try {
    const sets: MeasuredSet[] = [];
    for (const name of names) sets.push(await measureCarrySet(name, options, scorers, told));
    const header: Header = { machine: machineLine(), models: modelNames(scorers.info.models) };
    await writeParts(out, [{ name: LINES, text: linesOf(header, sets) }]);
    told.say(`What was measured: ${path.join(out, LINES)}`);
    return { header, sets };
  } finally {
    await scorers.close();
  }
}

/** Fits take minutes, tables seconds: fits are kept, with the program that they hang on in the name of their file. */
async function reported(
  sets: readonly MeasuredSet[],
  { out, utilities }: CarryOverOptions,
  { say, signal }: Told,
): ReturnType<typeof reportOn> {
  const rooms = ['calibration', 'router', 'bench/carry-over', 'bench/decisions', 'bench/general'];
  const code = await codeHash(undefined, undefined, rooms);
  const file = await ResultsFile.open<Fits>(out, 'carry-over-fits', { code });
  const kept = {
    get: (id: string) => file.get(id),
    add: async (fits: Fits) => {
      await file.add(fits);
      // What was fitted until now is kept.
      if (signal.aborted) throw interrupted();
    },
  };
  try {
    return await reportOn(sets, utilities, { say, kept });
  } finally {
    await file.close();
  }
}

function interrupted(): PragauraError {
  return new PragauraError('ABORTED', 'Interrupted while fitting.', {
    hint: 'What was measured and fitted is kept. The same command goes on where this one stopped.',
  });
}

/** Of what an earlier run measured, the sets that are asked for. */
async function chosen({ sets: list }: CarryOverOptions, file: string): ReturnType<typeof readLines> {
  const { header, sets } = await readLines(file);
  if (list === undefined) return { header, sets };
  const names: readonly string[] = parseCarryNames(list);
  return { header, sets: sets.filter(({ name }) => names.includes(name)) };
}

async function writePlanner(file: string, model: PlannerModel, say: Told['say']): Promise<void> {
  await writeWholeFile(file, `${JSON.stringify(model)}\n`, 'Name another file with --fit.');
  say(`Planner ${model.hash.slice(0, 12)}: ${file}`);
}
