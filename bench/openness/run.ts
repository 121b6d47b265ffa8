/** Fits what tells a question that leaves open what it is about, on what `bench documents` left. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { checkFolder, writeParts } from '../../calibration/index.ts';
import { canonicalHash, isSystemError, PragauraError } from '../../common/index.ts';
import { ACTIONS, Evidence } from '../../router/index.ts';
import { opennessFeatures } from '../../router/layers/openness.ts';
import { SCHEMA } from '../documents/before.ts';
import { keepFigures } from '../figures/figures-file.ts';
import { readJsonFile } from '../measure/json-file.ts';
import { type Layout, share, table } from '../measure/table.ts';
import { type Case, type OpennessReport, opennessReport } from './fit.ts';

export interface OpennessOptions {
  /** Folder of results about short questions, half of which leave open what they are about. */
  short: string;
  /** Folder of results about ordinary questions. */
  ordinary: string;
  /** Folder of the fit. */
  out: string;
  /** File that the figures are kept in for the pages; undefined: none. */
  figures: string | undefined;
}

const Results = z.object({
  schema: z.literal(SCHEMA),
  versions: z.object({ models: z.record(z.string(), z.string()) }),
  report: z.object({ collection: z.string(), half: z.literal('open') }),
  questions: z.array(
    z.object({
      query: z.string(),
      expect: z.enum(ACTIONS),
      judged: z.object({ product: z.object({ outcome: z.string() }) }),
      decision: z.object({
        evidence: z.array(z.object({ title: Evidence.shape.title, scores: Evidence.shape.scores })),
      }),
    }),
  ),
});

/**
 * Gives the report as text, and writes `openness-fit.ts` into `out`. Throws NOT_FOUND where a folder has no results of open
 * halves, CONFIGURATION for what is no such result, WRITE_FAILED.
 */
export async function benchOpenness({ short, ordinary, out, figures }: OpennessOptions): Promise<string> {
  await checkFolder(out);
  const [shortResults, ordinaryResults] = [await resultsIn(short), await resultsIn(ordinary)];
  const cases = [...casesOf(shortResults, true), ...casesOf(ordinaryResults, false)];
  const report = opennessReport(cases);
  if (figures !== undefined) {
    const { models } = shortResults[0]!.versions;
    await keepFigures(figures, { models, data: { questions: canonicalHash(cases) }, report });
  }
  const text = `/** Written by \`pragaura bench openness\`. */\nimport type { OpennessFit } from './types.ts';\n\nexport const OPENNESS: OpennessFit = ${JSON.stringify(rounded(report), null, 2)};\n`;
  await writeParts(out, [{ name: 'openness-fit.ts', text }]);
  return `${renderOpenness(report, table)}\n\nwritten: ${path.join(out, 'openness-fit.ts')}`;
}

async function resultsIn(dir: string) {
  const hint = 'Run "pragaura bench documents --half open --out DIR" before, and name DIR.';
  const names = await readdir(dir).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  });
  const files = names.filter((name) => /^documents-.*-open\.json$/.test(name)).sort();
  if (files.length === 0) {
    throw new PragauraError('NOT_FOUND', `${dir} has no results of an open half.`, { hint });
  }
  const what = 'result of "bench documents" about an open half';
  return Promise.all(files.map((file) => readJsonFile(path.join(dir, file), Results, { what, hint })));
}

/** What nothing was read for tells nothing; of ordinary sets, what is due a question back is judged by lists of words. */
function casesOf(results: readonly z.infer<typeof Results>[], short: boolean): Case[] {
  return results.flatMap(({ report, questions }) =>
    questions.flatMap(({ query, expect, judged, decision }): Case[] => {
      const features = opennessFeatures(query, decision.evidence);
      if (features === null || (!short && expect === 'ASK')) return [];
      const kind = short
        ? ({ ASK: 'open', ANSWER: 'clear', ABSTAIN: 'unanswerable' } as const)[expect]
        : expect === 'ANSWER'
          ? 'ordinary'
          : 'unanswerable';
      return [{ set: report.collection, kind, useful: judged.product.outcome === 'useful', features }];
    }),
  );
}

function rounded({ fit: { intercept, weights, bar } }: OpennessReport) {
  const digits = (value: number) => Number(value.toPrecision(5));
  const sorted = Object.entries(weights).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    intercept: digits(intercept),
    weights: Object.fromEntries(sorted.map(([name, weight]) => [name, digits(weight)])),
    bar,
  };
}

/** For a terminal or a page, by the layout. */
export function renderOpenness({ sets, bars, fit }: OpennessReport, layout: Layout): string {
  const counted = sets.map(({ set, open, clear, ordinary, unanswerable }) => [
    set,
    ...[open, clear, ordinary, unanswerable].map(String),
  ]);
  const at = bars.map(({ bar, open, clear, ordinary, unanswerable, useful }) => [
    `${bar.toFixed(2)}${bar === fit.bar ? ' (shipped)' : ''}`,
    ...[open, clear, ordinary, useful, unanswerable].map(share),
  ]);
  return [
    layout(['questions', 'leave something open', 'short and clear', 'ordinary', 'nothing answers'], counted),
    'Asked back, each set by a fit on the others:',
    layout(
      [
        'bar',
        'leave something open',
        'short and clear',
        'ordinary',
        'ordinary, answered usefully',
        'nothing answers',
      ],
      at,
    ),
  ].join('\n\n');
}
