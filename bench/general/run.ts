import path from 'node:path';
import { checkFolder, writeParts } from '../../calibration/index.ts';
import { canonicalHash, seededRandom } from '../../common/index.ts';
import { costOf } from '../../router/index.ts';
import { type ModelChoice, modelNames, openScorers, type Scorers } from '../../scorers/index.ts';
import { oneOf } from '../datasets/one-of.ts';
import { keepFigures } from '../figures/figures-file.ts';
import { machineLine } from '../measure/machine.ts';
import { type Counts, type Drawn, draw } from './draw.ts';
import { itemOf } from './judged.ts';
import { type Header, type Line, linesOf, readLines } from './lines.ts';
import { indexDrawn, type MeasureOptions, measure } from './measure.ts';
import type { Probability } from './probability.ts';
import { pageReport, renderGeneral } from './render.ts';
import { type Report, reportOn } from './report.ts';
import { loadPoolSet, POOL } from './sets.ts';
import type { Measured, PoolSet } from './types.ts';

export interface GeneralOptions {
  /** Names, separated by commas; undefined: all. */
  sets: string | undefined;
  /** What an earlier run wrote: nothing is asked again; undefined: everything is measured. */
  measured: string | undefined;
  data: string;
  out: string;
  cache: string;
  counts: Counts;
  threads: number | undefined;
  models: ModelChoice;
  /** File that the figures are kept in for the pages; undefined: none. */
  figures: string | undefined;
}

interface Told {
  say: (line: string) => void;
  signal: AbortSignal;
}

const SEED = 1;
const LINES = 'general.ndjson';

/**
 * Measures every set, fits the general rule and tries it on each set left out; gives the report as text. `out` gets what was
 * measured and judged as JSON lines, the report as JSON, and the table to be shipped. Throws what loading, indexing and
 * routing throw, and ABORTED when the signal fires.
 */
export async function benchGeneral(options: GeneralOptions, told: Told): Promise<string> {
  const { out, measured } = options;
  await checkFolder(out);
  const { header, items } =
    measured === undefined ? await measuredNow(options, told) : await readLines(measured);
  const report = reportOn(items);
  if (options.figures !== undefined) {
    const { models } = header;
    await keepFigures(options.figures, {
      models,
      data: { questions: canonicalHash(items) },
      report: pageReport(report),
    });
  }
  await writeParts(out, [
    {
      name: 'general.json',
      text: `${JSON.stringify({ schema: 'pragaura.bench-general/1', ...header, report })}\n`,
    },
    { name: 'general-fit.ts', text: shippedText(header, report) },
  ]);
  told.say(`written: ${path.join(out, 'general.json')}, general-fit.ts and ${LINES}`);
  return `${renderGeneral(report)}\n\n${header.machine}`;
}

async function measuredNow(options: GeneralOptions, { say, signal }: Told): ReturnType<typeof readLines> {
  const { sets, data, out, cache, counts, threads, models } = options;
  const names = sets === undefined ? POOL : sets.split(',').map((name) => oneOf(POOL, name, 'set'));
  const loaded: { set: PoolSet; drawn: Drawn }[] = [];
  // What is missing is said before any model is loaded.
  for (const name of new Set(names)) {
    const set = await loadPoolSet(name, { data, cache });
    loaded.push({ set, drawn: draw(set, counts, seededRandom(SEED)) });
  }
  const scorers = await openScorers({ ...models, ...(threads !== undefined && { threads }), announce: say });
  try {
    const lines = await measuredSets(loaded, { scorers, cache, out, say, signal });
    const header = headerOf(loaded, scorers);
    await writeParts(out, [{ name: LINES, text: linesOf(header, lines) }]);
    return { header, items: lines.map(({ item }) => item) };
  } finally {
    await scorers.close();
  }
}

/** By halves, so that a run that is broken off knows something of every set. */
async function measuredSets(
  loaded: readonly { set: PoolSet; drawn: Drawn }[],
  options: MeasureOptions,
): Promise<Line[]> {
  const indexed: { set: PoolSet; drawn: Drawn; index: string }[] = [];
  for (const { set, drawn } of loaded) {
    indexed.push({ set, drawn, index: await indexDrawn(set, drawn, options) });
  }
  const asked = async ({ set, drawn, index }: (typeof indexed)[number], part: number): Promise<Measured[]> =>
    measure(set.name, index, drawn.questions.slice(0, Math.ceil(part * drawn.questions.length)), options);
  for (const each of indexed) await asked(each, 0.5);
  const lines: Line[] = [];
  for (const each of indexed) {
    for (const [place, measured] of (await asked(each, 1)).entries()) {
      // What was divided is decided part by part.
      if (measured.several) continue;
      lines.push({ item: itemOf(each.drawn.questions[place]!, measured), measured });
    }
  }
  return lines;
}

function headerOf(loaded: readonly { set: PoolSet; drawn: Drawn }[], { info }: Scorers): Header {
  return {
    machine: machineLine(),
    models: modelNames(info.models),
    arithmetic: info.arithmetic,
    sets: loaded.map(({ set: { name, about, licence }, drawn }) => ({
      name,
      about,
      licence,
      documents: drawn.documents.length,
    })),
  };
}

/** The text of `router/decision/general-fit.ts`, but for its layout. */
function shippedText(header: Header, { fit, curve, sets }: Report): string {
  const answerable = sets.reduce((sum, set) => sum + set.answerable, 0);
  const questions = sets.reduce((sum, { n }) => sum + n, 0);
  const { models, arithmetic } = header;
  const table = {
    models,
    arithmetic,
    sets: sets.map(({ name }) => name),
    questions,
    answerable,
    span: rounded(fit.span),
    floor: fit.floor,
    passage: rounded(fit.passage),
    measured: curve.map(({ cautious, figures: { coverage, risk, useful, falseAnswers } }) => ({
      cautious,
      cost: digits(costOf(cautious)),
      answered: digits(coverage),
      wrong: digits(risk),
      useful: digits(useful),
      inVain: digits(falseAnswers),
    })),
  };
  return `/** Written by \`pragaura bench general\`. */\nimport type { GeneralFit } from './types.ts';\n\nexport const GENERAL: GeneralFit = ${JSON.stringify(table, null, 2)};\n`;
}

function rounded({ intercept, inputs, shifts }: Probability) {
  return {
    intercept: digits(intercept),
    inputs: inputs.map(({ feature, ...numbers }) => ({
      feature,
      ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, digits(value)])),
    })),
    shifts: Object.fromEntries(Object.entries(shifts).map(([act, shift]) => [act, digits(shift)])),
  };
}

/** Five that count, so that what is applied can be read. */
function digits<T extends number | null>(value: T): T {
  return (value === null ? null : Number(value.toPrecision(5))) as T;
}
