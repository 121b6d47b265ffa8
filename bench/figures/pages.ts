/** Tables of the pages: written from result files, and held against them. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError, messageOf, PragauraError } from '../../common/index.ts';
import { type FiguresFile, readFigures } from './figures-file.ts';
import { between, pageNames, pagesOf, updatePages } from './markers.ts';
import { MEASUREMENTS } from './measurements.ts';
import { modelTables } from './model-tables.ts';
import { otherModels, type Shipped, shortened } from './shipped.ts';

export const RESULTS = 'bench/figures/measured';

/** A table that does not say what its result file says; `line` from 1. */
export interface Stale {
  page: string;
  line: number;
  what: string;
}

/**
 * What stands between the markers of each result file of the repository at `dir`. Throws CONFIGURATION for a result file
 * that is damaged, or that no table is known for.
 */
export async function figureTables(dir: string, shipped: Shipped): Promise<Map<string, string>> {
  const tables = await modelTables(dir);
  for (const name of await resultNames(dir)) {
    const kept = await readFigures(path.join(dir, `${RESULTS}/${name}.json`));
    for (const [marker, table] of tablesOf(name, kept, shipped)) tables.set(marker, table);
  }
  return tables;
}

/** The tables of one result file, by their markers. Throws CONFIGURATION for one that no table is known for, or of another shape. */
export function tablesOf(name: string, kept: FiguresFile, shipped: Shipped): [string, string][] {
  const file = `${RESULTS}/${name}.json`;
  return renderersOf(name, file).map(([marker, render]) => [marker, block(file, kept, render, shipped)]);
}

/** Writes every table; gives the pages that changed. Throws as `figureTables`, and CONFIGURATION for one without a place. */
export async function writeFigures(dir: string, shipped: Shipped): Promise<string[]> {
  return updatePages(await figureTables(dir, shipped), dir);
}

/** Tables that differ from what their result files give. Throws as `writeFigures`. */
export async function staleFigures(dir: string, shipped: Shipped): Promise<Stale[]> {
  const tables = await figureTables(dir, shipped);
  const pages = await pagesOf([...tables.keys()], dir);
  const stale: Stale[] = [];
  for (const [name, page] of pages) {
    const text = await readFile(path.join(dir, page), 'utf8');
    const right = between(text, name, tables.get(name)!)!;
    if (right === text) continue;
    stale.push({
      page,
      line: firstDifference(text, right),
      what: `figures:${name} is not ${RESULTS}/${name}.json`,
    });
  }
  return stale;
}

/** Tables of the pages of figures that stand between no markers: written by hand. `line` from 1. */
export async function tablesByHand(dir: string): Promise<{ page: string; line: number }[]> {
  const found: { page: string; line: number }[] = [];
  for (const page of (await pageNames(dir)).filter((name) => FIGURE_PAGE.test(name))) {
    let inside = false;
    const lines = (await readFile(path.join(dir, page), 'utf8')).split('\n');
    for (const [at, line] of lines.entries()) {
      if (MARKER.test(line)) inside = !line.startsWith('<!-- /');
      if (!inside && UNDER_HEAD.test(line)) found.push({ page, line: at });
    }
  }
  return found;
}

const FIGURE_PAGE = /^docs\/(figures\/|arithmetic\.md)/;
const MARKER = /^<!-- \/?figures:/;
/** The line below the head of a table. */
const UNDER_HEAD = /^\|(?: *:?-+:? *\|)+$/;

/** Names of the result files of the repository at `dir`. */
export async function resultNames(dir: string): Promise<string[]> {
  try {
    const names = await readdir(path.join(dir, RESULTS));
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .sort();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

/** The tables of a result file, by their markers. */
function renderersOf(name: string, file: string): [string, (report: unknown) => string][] {
  if (!Object.hasOwn(MEASUREMENTS, name)) {
    throw new PragauraError('CONFIGURATION', `${file}: no table is known under this name.`, {
      hint: `Names are ${Object.keys(MEASUREMENTS).join(', ')}.`,
    });
  }
  const { tables, also } = MEASUREMENTS[name]!;
  return Object.entries({ [name]: tables, ...also }).map(([marker, render]) => [
    marker,
    (report) => rendered(render, report, file),
  ]);
}

function rendered(render: (report: never) => string, report: unknown, file: string): string {
  try {
    return render(report as never);
  } catch (error) {
    throw new PragauraError('CONFIGURATION', `${file}: its report is of another shape: ${messageOf(error)}`, {
      hint: 'Measure it again.',
      cause: error,
    });
  }
}

function block(
  file: string,
  kept: FiguresFile,
  render: (report: unknown) => string,
  shipped: Shipped,
): string {
  const { command, date, machine, models, report } = kept;
  const made = Object.entries(models).map(([job, model]) => `${job} ${shortened(model)}`);
  const other = otherModels(models, shipped);
  return [
    render(report),
    `From \`${file}\`: \`${command}\`, ${date}, ${machine}; ${made.join(', ')}.`,
    ...(other.length === 0 ? [] : [`**Made with other models than ship now**: ${other.join('; ')}.`]),
  ].join('\n\n');
}

function firstDifference(text: string, right: string): number {
  const [now, wanted] = [text.split('\n'), right.split('\n')];
  const at = now.findIndex((line, i) => line !== wanted[i]);
  return (at === -1 ? now.length : at) + 1;
}
