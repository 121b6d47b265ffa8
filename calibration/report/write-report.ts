import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { failureReason, PragauraError, plainLine } from '../../common/index.ts';
import type { Graded } from '../evaluation/graded.ts';
import type { Evaluation } from '../evaluation/types.ts';
import { csvOf } from './csv.ts';
import { ablation, uncertaintyByAct } from './figures/bars.ts';
import { riskCoverage, selectiveAccuracy, unsupported } from './figures/curves.ts';
import { reliabilityDiagram } from './figures/reliability.ts';
import type { Figure, Spec } from './figures/theme.ts';
import { type Drawn, htmlOf, type Page } from './html.ts';
import { headline, sectionsOf } from './sections.ts';
import { queryTable, tablesOf } from './tables.ts';

/** A file of a report. */
export interface Part {
  name: string;
  text: string;
}

/**
 * Every file of an evaluation: metrics.json, CSV files, figures in SVG, report.html; with what it graded also
 * observations.ndjson and queries.csv.
 */
export async function reportFiles(evaluation: Evaluation, graded?: readonly Graded[]): Promise<Part[]> {
  const drawn = await drawnOf([
    riskCoverage(evaluation),
    ablation(evaluation),
    selectiveAccuracy(evaluation),
    unsupported(evaluation),
    ...(evaluation.acts.some(({ uncertainty }) => uncertainty !== null)
      ? [uncertaintyByAct(evaluation)]
      : []),
    reliabilityDiagram(evaluation),
  ]);
  const tables = [...tablesOf(evaluation), ...(graded === undefined ? [] : [queryTable(graded)])];
  const { thresholds, settings, test } = evaluation;
  const page: Page = {
    title: 'PragAURA: evaluation',
    headline: headline(evaluation),
    remarks: evaluation.remarks,
    sections: sectionsOf(evaluation),
    figures: drawn,
    facts: [
      ['Test (hash of ids, queries and labels)', test],
      ['Thresholds', thresholds.hash ?? thresholds.status],
      ['Score', JSON.stringify(thresholds.score)],
      ['Bootstrap', `${settings.resamples} resamples by group, seed ${settings.seed}`],
    ],
  };
  return [
    ...(graded === undefined
      ? []
      : [
          {
            name: 'observations.ndjson',
            text: graded.map(({ observation }) => `${JSON.stringify(observation)}\n`).join(''),
          },
        ]),
    { name: 'metrics.json', text: `${JSON.stringify(evaluation, null, 2)}\n` },
    ...tables.map((table) => ({ name: `${table.name}.csv`, text: csvOf(table) })),
    ...drawn.map(({ name, svg }) => ({ name: `${name}.svg`, text: svg })),
    { name: 'report.html', text: htmlOf(page) },
  ];
}

/** Draws one after the other: the library works on the thread that calls it. */
export async function drawnOf(figures: readonly Figure[]): Promise<Drawn[]> {
  const drawn: Drawn[] = [];
  for (const { spec, ...figure } of figures) drawn.push({ ...figure, svg: await svgOf(spec, figure.name) });
  return drawn;
}

/**
 * Writes each file beside its place and renames it there. The last one, the page where there is one, is taken away before
 * any other is replaced: where it stands, all the others are of its own making. Throws WRITE_FAILED.
 */
export async function writeParts(dir: string, parts: readonly Part[]): Promise<void> {
  await inFolder(dir, async () => {
    const last = parts.at(-1);
    if (last !== undefined) await rm(path.join(dir, last.name), { force: true });
    for (const { name, text } of parts) await replace(path.join(dir, name), text);
  });
}

/** Throws WRITE_FAILED when nothing could be written to the folder; to be asked before hours of measuring. */
export async function checkFolder(dir: string): Promise<void> {
  const probe = path.join(dir, `${randomUUID()}.part`);
  await inFolder(dir, async () => {
    await writeFile(probe, '', { flag: 'wx' });
    await rm(probe);
  });
}

async function replace(file: string, text: string): Promise<void> {
  const part = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(part, text, { flag: 'wx' });
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}

async function inFolder(dir: string, work: () => Promise<void>): Promise<void> {
  try {
    await mkdir(dir, { recursive: true });
    await work();
  } catch (error) {
    if (PragauraError.isInstance(error)) throw error;
    const why = failureReason(error);
    throw new PragauraError('WRITE_FAILED', `The folder ${dir} cannot be written: ${why}.`, {
      hint: 'Name another folder with --out.',
      cause: error,
    });
  }
}

/**
 * The figure as SVG that needs nothing else: no script, no network. `prefix` goes before its ids, so that several fit
 * into one page. Loads the drawing library on first use.
 */
async function svgOf(spec: Spec, prefix: string): Promise<string> {
  const [vega, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
  const compiled = vegaLite.compile(spec as never, { logger: silent(vega) });
  // Data come with the specification: nothing may be fetched.
  const loader = vega.loader();
  loader.load = () => Promise.reject(new Error('figures load nothing'));
  const view = new vega.View(vega.parse(compiled.spec), { renderer: 'none', loader, logger: silent(vega) });
  try {
    const svg = await view.toSVG();
    return plainLine(ownIds(svg, prefix));
  } finally {
    view.finalize();
  }
}

/** The library numbers ids through all drawings of a process; here they are numbered anew, behind the prefix. */
function ownIds(svg: string, prefix: string): string {
  const ids = new Map<string, string>();
  return svg.replace(/(\bid="|url\(#)(\w+)/g, (_, before: string, id: string) => {
    if (!ids.has(id)) ids.set(id, `${prefix}-${ids.size + 1}`);
    return before + ids.get(id)!;
  });
}

/** Remarks on a specification (a domain that is empty because nothing was answered) are no concern of the user's. */
function silent(vega: typeof import('vega')) {
  return vega.logger(vega.None);
}
