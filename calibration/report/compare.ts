import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, PragauraError, plainLine } from '../../common/index.ts';
import { Evaluation } from '../evaluation/types.ts';
import { csvOf } from './csv.ts';
import { areaBars } from './figures/bars.ts';
import { comparedCurves } from './figures/curves.ts';
import { COVERAGE, frontier, qualityOf, spendingOf } from './figures/frontier.ts';
import { htmlOf } from './html.ts';
import { digits, withInterval } from './numbers.ts';
import type { Section } from './sections.ts';
import type { Cell } from './tables.ts';
import { drawnOf, type Part } from './write-report.ts';

export interface Named {
  name: string;
  evaluation: Evaluation;
}

/**
 * The evaluation in a folder that `pragaura evaluate` wrote, under the folder's name. Throws NOT_FOUND when there is
 * none, UNREADABLE_DOCUMENT when it is none or of another schema.
 */
export async function readEvaluation(dir: string): Promise<Named> {
  const file = path.join(dir, 'metrics.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `The evaluation ${file} cannot be read: ${messageOf(error)}`, {
      hint: 'Name folders that "pragaura evaluate --out DIR" wrote.',
      cause: error,
    });
  }
  try {
    return {
      name: plainLine(path.basename(path.resolve(dir))),
      evaluation: Evaluation.parse(JSON.parse(text)),
    };
  } catch (error) {
    throw new PragauraError('UNREADABLE_DOCUMENT', `${file} is no evaluation of this version.`, {
      hint: 'Run "pragaura evaluate" again; what was measured is in its cache.',
      cause: error,
    });
  }
}

/** Throws USAGE unless there are two or more evaluations, differently named, of the same test under the same rule. */
export function checkComparable(named: readonly Named[]): void {
  const [first] = named;
  if (first === undefined || named.length < 2) {
    throw new PragauraError('USAGE', 'There is nothing to compare: name two evaluations or more.');
  }
  for (const [place, { name, evaluation }] of named.entries()) {
    if (named.findIndex((other) => other.name === name) !== place) {
      throw new PragauraError('USAGE', `Two evaluations are called ${name}.`, {
        hint: 'Figures go by the names of the folders: rename one.',
      });
    }
    const differs =
      evaluation.test !== first.evaluation.test
        ? 'of another test'
        : JSON.stringify(evaluation.settings.rule) !== JSON.stringify(first.evaluation.settings.rule)
          ? 'made with another rule of what is wrong'
          : null;
    if (differs === null) continue;
    throw new PragauraError('USAGE', `${name} and ${first.name} cannot be compared: one is ${differs}.`, {
      hint: 'Evaluate both with the same --test file and the same --wrong.',
    });
  }
}

export const comparedHeadline = (named: readonly Named[]): string =>
  `${named.length} evaluations of the same ${named[0]!.evaluation.counts.examples} labelled queries.`;

/** The table of a comparison; paired tests are the business of "pragaura bench parity". */
export function comparedSections(named: readonly Named[]): Section[] {
  return [
    {
      title: 'Side by side',
      text: [],
      table: {
        head: [
          '',
          'coverage',
          'risk of answered',
          `EM at ${COVERAGE}`,
          'AURC',
          '= reader',
          '+ ranking',
          'AUGRC',
        ],
        rows: named.map(({ name, evaluation: { coverage, answered, rankings, ...rest } }) => {
          const own = rankings[0]!;
          const at = own.selective.find(({ coverage: share }) => share === COVERAGE);
          const { aurc, oracle, excess, augrc } = own.losses.wrong;
          return [
            rest.thresholds.status === 'CALIBRATED' ? name : `${name} (not calibrated)`,
            withInterval(coverage),
            withInterval(answered.risk),
            at === undefined ? '–' : withInterval(at.em),
            withInterval(aurc),
            digits(oracle.value),
            withInterval(excess),
            withInterval(augrc),
          ];
        }),
      },
      notes: [
        'Each interval is of one evaluation: overlapping ones can still differ, query by query. "pragaura bench parity" tests pairs at equal compute.',
      ],
      figures: ['compared-risk-coverage', 'compared-areas', 'frontier'],
    },
  ];
}

/** Every file of a comparison. */
export async function comparisonFiles(named: readonly Named[]): Promise<Part[]> {
  const spending = spendingOf(named);
  const bars = areaBars(
    named.map(({ name, evaluation }) => ({ name, aurc: evaluation.rankings[0]!.losses.wrong })),
    { name: 'compared-areas', title: 'Areas, compared' },
  );
  const drawn = await drawnOf([
    comparedCurves(named),
    bars,
    ...(spending.length === 0 ? [] : [frontier(named)]),
  ]);
  const rows = spending.map(({ name, unit, spent, quality, frontier: on }): Cell[] => [
    name,
    unit,
    spent,
    quality,
    on,
  ]);
  const first = named[0]!.evaluation;
  const page = {
    title: 'PragAURA: evaluations compared',
    headline: comparedHeadline(named),
    remarks: [],
    sections: comparedSections(named),
    figures: drawn,
    facts: [
      ['Test (hash of ids, queries and labels)', first.test] as const,
      ...named.map(
        ({ name, evaluation: { thresholds } }) => [name, thresholds.hash ?? thresholds.status] as const,
      ),
    ],
  };
  return [
    { name: 'comparison.csv', text: csvOf(comparedTable(named)) },
    ...(rows.length === 0
      ? []
      : [
          {
            name: 'frontier.csv',
            text: csvOf({
              name: 'frontier',
              columns: ['evaluation', 'unit', 'mean_spent', 'em_at_80', 'on_frontier'],
              rows,
            }),
          },
        ]),
    ...drawn.map(({ name, svg }) => ({ name: `${name}.svg`, text: svg })),
    { name: 'comparison.html', text: htmlOf(page) },
  ];
}

function comparedTable(named: readonly Named[]) {
  const columns = [
    'evaluation',
    'status',
    'coverage',
    'risk',
    'em_at_80',
    'aurc',
    'oracle',
    'e_aurc',
    'augrc',
  ];
  const rows = named.map(({ name, evaluation }): Cell[] => {
    const { aurc, oracle, excess, augrc } = evaluation.rankings[0]!.losses.wrong;
    return [
      name,
      evaluation.thresholds.status,
      evaluation.coverage.value,
      evaluation.answered.risk.value,
      qualityOf(evaluation),
      aurc.value,
      oracle.value,
      excess.value,
      augrc.value,
    ];
  });
  return { name: 'comparison', columns, rows };
}
