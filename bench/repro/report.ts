/** One page of all figures, of what was kept of runs; nothing is run for it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { drawnOf, htmlOf, type Interval, type Section } from '../../calibration/index.ts';
import { messageOf, PragauraError, packageVersion } from '../../common/index.ts';
import { type FiguresFile, readFigures } from '../figures/figures-file.ts';
import { MEASUREMENTS } from '../figures/measurements.ts';
import { RESULTS, resultNames, tablesOf } from '../figures/pages.ts';
import type { TabledFigure } from '../figures/selective.ts';
import { otherModels, type Shipped, shippedModels, shortened } from '../figures/shipped.ts';
import { readState, type State } from './all.ts';
import {
  CLAIM_VERDICTS,
  type Claim,
  type JudgedClaim,
  judgeClaim,
  loadPapers,
  type Measured,
  type Paper,
} from './claims.ts';
import { type DataSet, hashOfFile, loadDataSets } from './data-sets.ts';
import { durationOf } from './duration.ts';
import { sectionsOfMarkdown } from './markdown-sections.ts';
import { loadMatrices, type Matrix } from './matrix.ts';
import { cellsOf, commandTold, HEADS, shown } from './render.ts';
import { type Kept, readResults } from './results.ts';
import { judge } from './run.ts';

export interface ReportOptions {
  /** Folder of the repository. */
  root: string;
  /** Folder of matrices, with the claims and the data sets. */
  matrix: string;
  /** Folder of the public data sets; files that lie there are held against their hashes. */
  data: string;
  /** Folder of runs: how the last ones ended. */
  folder: string;
}

/** What is not there, and why. */
type Gap = readonly [what: string, why: string];

interface Found {
  matrices: { matrix: Matrix; kept: Kept }[];
  papers: Paper[];
  reports: ReadonlyMap<string, FiguresFile>;
  sets: DataSet[];
  state: State | null;
  shipped: Shipped;
  /** Hash of each file of the sets in the data folder; null: it is not there. */
  here: ReadonlyMap<string, string | null>;
}

/**
 * The page as HTML that needs nothing else, and how many claims came to which verdict. What is missing or damaged is a gap
 * on the page. Throws CONFIGURATION for matrices, claims or data sets that are damaged, NOT_FOUND where there are none.
 */
export async function reportPage(options: ReportOptions): Promise<{ html: string; summary: string }> {
  const gaps: Gap[] = [];
  const found = await read(options, gaps);
  const measured = measuredOf(found);
  const judged = found.papers.map((paper) => ({
    paper,
    claims: paper.claims.map((claim) => judgeClaim(claim, measured)),
  }));
  const papers = paperFigures(found, gaps);
  gaps.push(...gapsOf(found, judged));
  const tables = await measuredSections(found, gaps);
  const all = judged.flatMap(({ claims }) => claims);
  const summary = `${all.length} claims of ${judged.length} papers: ${countsOf(all)}`;
  const sections = [
    section('What is missing', gapTable(gaps)),
    ...claimSections(judged),
    section('Figures of the first paper', null, [
      'Drawn of what was measured here, each with a table of the same numbers.',
    ]),
    ...papers.map(({ section: each }) => each),
    section('What is claimed, and found again', null, [
      'OK: within the first tolerance; OKish: within the second; FAIL: beyond, or the command failed; NEW: nothing is claimed yet.',
    ]),
    ...found.matrices.flatMap((each) => matrixSections(each, found.shipped)),
    section('What was measured', null, ['The tables of the pages, by the name of the result file.']),
    ...tables,
    section('Data', dataTable(found)),
    ...(await versionSections(found)),
  ];
  const html = htmlOf({
    title: 'PragAURA: every figure',
    headline: `${summary}. ${gaps.length} gaps.`,
    remarks: [],
    sections,
    figures: await drawnOf(papers.flatMap(({ drawn }) => drawn?.figure ?? [])),
    facts: [
      ['Program', `pragaura ${packageVersion()}`],
      ['Written with', `Node ${process.version}`],
      ['Intervals', '95 %, as each table says'],
    ],
    contents: true,
  });
  return { html, summary };
}

function section(title: string, table: Section['table'], text: string[] = []): Section {
  return { title, text, table, notes: [], figures: [] };
}

async function read(options: ReportOptions, gaps: Gap[]): Promise<Found> {
  const { root, matrix: dir, data, folder } = options;
  const matrices: Found['matrices'] = [];
  for (const matrix of await loadMatrices(dir)) {
    const kept = await orGap(() => readResults(dir, matrix.name), `results of ${matrix.name}`, gaps);
    matrices.push({ matrix, kept: kept ?? { rows: new Map(), runs: new Map() } });
  }
  const reports = new Map<string, FiguresFile>();
  for (const name of await resultNames(root)) {
    const report = await orGap(() => readFigures(path.join(root, RESULTS, `${name}.json`)), name, gaps);
    if (report !== null) reports.set(name, report);
  }
  const sets = await loadDataSets(dir);
  const files = sets.flatMap((set) => set.files.map(({ file }) => file));
  const here = await Promise.all(files.map(async (file) => [file, await hashOfFile(data, file)] as const));
  return {
    matrices,
    papers: await loadPapers(dir),
    reports,
    sets,
    state: await orGap(() => readState(folder), 'how the last runs ended', gaps),
    shipped: await shippedModels(),
    here: new Map(here),
  };
}

/** What it gives; null, and a gap, where it throws for a file that is damaged or cannot be read. */
async function orGap<T>(work: () => Promise<T> | T, what: string, gaps: Gap[]): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!PragauraError.isInstance(error)) throw error;
    gaps.push([what, messageOf(error)]);
    return null;
  }
}

function measuredOf({ matrices, reports }: Found): Measured {
  const rows = matrices.flatMap(({ matrix, kept }) =>
    matrix.runs.flatMap((run) =>
      run.rows.map((row) => [row.id, { row, result: kept.rows.get(row.id) }] as const),
    ),
  );
  return { rows: new Map(rows), reports };
}

function gapsOf(
  { matrices, reports, state, sets, here, shipped }: Found,
  judged: readonly { claims: readonly JudgedClaim[] }[],
): Gap[] {
  const rows = matrices.flatMap(({ matrix, kept }) =>
    matrix.runs.flatMap((run) =>
      run.rows.flatMap((row): Gap[] => {
        const result = kept.rows.get(row.id);
        if (result === undefined) return [[`row ${row.id}`, `never run: pragaura repro --only ${run.id}`]];
        return result.why === undefined ? [] : [[`row ${row.id}`, result.why]];
      }),
    ),
  );
  const tables = Object.entries(MEASUREMENTS).flatMap(([name, { byHand }]): Gap[] => {
    const report = reports.get(name);
    if (report === undefined)
      return [[`table ${name}`, `never measured${byHand === undefined ? '' : `: ${byHand}`}`]];
    const other = otherModels(report.models, shipped);
    return [
      ...(byHand === undefined
        ? []
        : [[`table ${name}`, `not among the pieces of --all: ${byHand}`] as const]),
      ...(other.length === 0
        ? []
        : [[`table ${name}`, `made with other models than ship: ${other.join('; ')}`] as const]),
    ];
  });
  const data = sets.flatMap(({ name, licence, files }) =>
    files.flatMap(({ file, sha256 }): Gap[] => {
      const hash = here.get(file) ?? null;
      if (hash === null || hash === sha256) return [];
      return [
        [file, `another file than that of ${name} (${licence}): its terms are not known, and it is not used`],
      ];
    }),
  );
  const stopped = (state?.pieces ?? []).flatMap(({ name, gap }): Gap[] =>
    gap === null ? [] : [[`piece ${name} of the last --all`, gap]],
  );
  const claims = judged.flatMap((each) =>
    each.claims.flatMap(({ claim, gap }): Gap[] => (gap === null ? [] : [[`claim ${claim.id}`, gap]])),
  );
  return [...stopped, ...data, ...rows, ...tables, ...claims];
}

function gapTable(gaps: readonly Gap[]): Section['table'] {
  if (gaps.length === 0)
    return { caption: 'Nothing is missing', words: true, head: ['what', 'why'], rows: [] };
  return {
    caption: 'Gaps: figures that are not on this page, or not of today’s program',
    words: true,
    head: ['what', 'why'],
    rows: gaps.map((gap) => [...gap]),
  };
}

function countsOf(claims: readonly JudgedClaim[]): string {
  return CLAIM_VERDICTS.map(
    (verdict) => `${claims.filter((each) => each.verdict === verdict).length} ${verdict}`,
  ).join(', ');
}

function claimSections(judged: readonly { paper: Paper; claims: readonly JudgedClaim[] }[]): Section[] {
  const count = (claims: readonly JudgedClaim[]) =>
    CLAIM_VERDICTS.map((verdict) => String(claims.filter((each) => each.verdict === verdict).length));
  const all = judged.flatMap(({ claims }) => claims);
  return [
    section(
      'What the papers claim',
      {
        caption: 'Claims by paper and verdict',
        words: true,
        head: ['paper', 'claims', ...CLAIM_VERDICTS],
        rows: [
          ...judged.map(({ paper, claims }) => [
            `${paper.paper} ${paper.title}`,
            String(claims.length),
            ...count(claims),
          ]),
          ['all', String(all.length), ...count(all)],
        ],
      },
      [
        'A claim is held where our figure passes its test: near the number, at least or at most it (give or take the tolerance), or surely more or less. A figure of another reader on other data says whether a claim carries over, not whether the paper measured rightly.',
      ],
    ),
    ...judged.map(
      ({ paper, claims }): Section => ({
        title: `${paper.paper}: ${paper.title}`,
        level: 3,
        text: [countsOf(claims)],
        table: {
          caption: `Claims of paper ${paper.paper}`,
          words: true,
          head: ['id', 'where', 'claim', 'printed', 'our figure', 'found', 'test', 'verdict', 'why'],
          rows: claims.map(claimRow),
        },
        notes: [],
        figures: [],
      }),
    ),
  ];
}

function claimRow({ claim, verdict, found, interval, gap }: JudgedClaim): string[] {
  return [
    claim.id,
    claim.where,
    claim.claim,
    shown(claim.number),
    claim.test?.ours ?? '–',
    foundText(found, interval),
    testText(claim),
    verdict,
    [gap === null ? null : `gap: ${gap}`, claim.untestable, claim.note]
      .filter((why) => why != null)
      .join(' '),
  ];
}

function foundText(found: number | null, interval: Interval | null): string {
  return interval === null
    ? shown(found)
    : `${shown(found)} [${shown(interval.low)}, ${shown(interval.high)}]`;
}

const TESTS = {
  near: 'near',
  least: 'at least',
  most: 'at most',
  more: 'more than',
  less: 'less than',
} as const;

function testText({ test, number }: Claim): string {
  if (test === undefined) return '–';
  const { is, tolerance } = test;
  const width = is === 'more' || is === 'less' ? 'by more than' : 'give or take';
  return `${TESTS[is]} ${shown(test.of ?? number)}${tolerance === 0 ? '' : `, ${width} ${shown(tolerance)}`}`;
}

/** The first paper's figures, by the figure of ours that is of the same. */
const PAPER_FIGURES = [
  {
    of: 'Figure 1',
    what: 'Selective EM and F1 on SQuAD',
    from: 'selective-squad',
    figure: 'selective-accuracy',
  },
  { of: 'Figure 1', what: 'Risk and coverage on SQuAD', from: 'selective-squad', figure: 'risk-coverage' },
  {
    of: 'Figure 2',
    what: 'Selective EM and F1 on HotpotQA',
    from: 'selective-hotpot',
    figure: 'selective-accuracy',
  },
  { of: 'Figure 3', what: 'Unsupported answers on SQuAD', from: 'selective-squad', figure: 'unsupported' },
  { of: 'Figure A1', what: 'Wrong acts, SQuAD', from: 'contenders-squad', figure: 'noise' },
  { of: 'Figure A2', what: 'Without each signal, SQuAD', from: 'selective-squad', figure: 'ablation' },
  { of: 'Figure A3', what: 'How often each act is, SQuAD', from: 'selective-squad', figure: 'acts' },
  {
    of: 'Section 7',
    what: 'Thresholds by act, SQuAD',
    from: 'selective-squad',
    figure: 'uncertainty-by-act',
  },
  { of: 'Figure A4', what: 'Accuracy and latency, SQuAD', from: 'frontier', figure: 'budgets' },
] as const;

function paperFigures({ reports }: Found, gaps: Gap[]): { section: Section; drawn: TabledFigure | null }[] {
  return PAPER_FIGURES.map(({ of, what, from, figure: name }) => {
    const title = `${of}: ${what}`;
    const report = reports.get(from);
    const figures = report === undefined ? [] : drawable(from, report);
    const drawn = figures.find(({ figure }) => figure.name.endsWith(`-${name}`)) ?? null;
    if (report === undefined || drawn === null) {
      gaps.push([`001, ${title}`, `no data: pragaura bench figures --measure ${from}`]);
      return { section: { ...section(title, null, ['Not measured yet.']), level: 3 }, drawn: null };
    }
    const table = { caption: `The numbers of ${title}`, head: drawn.head, rows: drawn.rows };
    return {
      section: {
        ...section(title, table),
        level: 3,
        notes: [sourceOf(from, report)],
        figures: [drawn.figure.name],
      },
      drawn,
    };
  });
}

/** What can be drawn of a result file; nothing of one of another shape, of which its tables say so. */
function drawable(name: string, { report }: FiguresFile): TabledFigure[] {
  try {
    return MEASUREMENTS[name]?.figures?.(report as never, name) ?? [];
  } catch {
    return [];
  }
}

function sourceOf(name: string, { command, date, machine, models }: FiguresFile): string {
  const made = Object.entries(models).map(([job, model]) => `${job} ${shortened(model)}`);
  return `${RESULTS}/${name}.json: ${command}, ${date}, ${machine}; ${made.join(', ')}.`;
}

function matrixSections({ matrix, kept }: Found['matrices'][number], shipped: Shipped): Section[] {
  const rows = matrix.runs.flatMap((run) => run.rows).map((row) => judge(row, kept.rows.get(row.id)));
  return [
    {
      title: matrix.title,
      level: 3,
      text: [],
      table: {
        caption: `${matrix.title}: rows`,
        words: true,
        head: ['row', ...HEADS],
        rows: rows.map((each) => [each.row.id, ...cellsOf(each)]),
      },
      notes: [],
      figures: [],
    },
    {
      title: null,
      text: [],
      table: {
        caption: `${matrix.title}: commands`,
        words: true,
        head: ['run', 'commands', 'day', 'machine', 'took', 'models'],
        rows: matrix.runs.map(({ id, before, command }) => {
          const made = kept.runs.get(id);
          const other = made === undefined ? [] : otherModels(made.models, shipped);
          return [
            id,
            [...before, command].map((step) => `pragaura ${commandTold(step)}`).join(', then '),
            made?.date ?? 'never',
            made?.machine ?? '–',
            made?.seconds === undefined ? 'not timed' : durationOf(made.seconds),
            made === undefined ? '–' : other.length === 0 ? 'as they ship' : `others: ${other.join('; ')}`,
          ];
        }),
      },
      notes: [],
      figures: [],
    },
  ];
}

async function measuredSections({ reports, shipped }: Found, gaps: Gap[]): Promise<Section[]> {
  const sections: Section[] = [];
  for (const [name, kept] of reports) {
    const tables = await orGap(() => tablesOf(name, kept, shipped), `table ${name}`, gaps);
    for (const [marker, markdown] of tables ?? []) sections.push(...sectionsOfMarkdown(marker, markdown));
  }
  return sections;
}

function dataTable({ sets, here, matrices, reports }: Found): Section['table'] {
  const used = new Map<string, string[]>();
  const note = (file: string, by: string) => used.set(file, [...(used.get(file) ?? []), by]);
  for (const { matrix, kept } of matrices) {
    for (const { id, needs } of matrix.runs) {
      for (const file of needs) note(file, `${id}${hashNote(kept.runs.get(id)?.data?.[file], file, sets)}`);
    }
  }
  for (const [name, { data }] of reports) {
    for (const [file, hash] of Object.entries(data)) note(file, `${name}${hashNote(hash, file, sets)}`);
  }
  return {
    caption: 'Files that figures are of: whose they are, how many, under which terms, and their hashes',
    words: true,
    head: ['file', 'set', 'n', 'licence', 'sha256', 'in the data folder', 'used by'],
    rows: sets.flatMap(({ name, licence, files }) =>
      files.map(({ file, n, sha256 }) => {
        const hash = here.get(file) ?? null;
        const there = hash === null ? 'not there' : hash === sha256 ? 'the same' : `another: ${hash}`;
        return [file, name, n, licence, sha256, there, (used.get(file) ?? []).join(', ') || '–'];
      }),
    ),
  };
}

/** Behind the name of who used a file: whether it was this very file. */
function hashNote(hash: string | undefined, file: string, sets: readonly DataSet[]): string {
  const known = sets.flatMap(({ files }) => files).find((each) => each.file === file)?.sha256;
  if (hash === undefined) return ' (hash not kept)';
  return known === undefined || hash === known ? '' : ` (another file: ${hash.slice(0, 12)})`;
}

async function versionSections({ matrices, reports, shipped }: Found): Promise<Section[]> {
  const made = [
    ...matrices.flatMap(({ kept }) => [...kept.runs]),
    ...[...reports].map(([name, report]) => [name, report] as const),
  ];
  const machines = new Map<string, string[]>();
  for (const [name, { machine }] of made) machines.set(machine, [...(machines.get(machine) ?? []), name]);
  const { dependencies, devDependencies } = JSON.parse(
    await readFile(new URL(import.meta.resolve('pragaura/package.json')), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
  return [
    section('Versions', {
      caption: 'Models that ship',
      words: true,
      head: ['job', 'model', 'sha256'],
      rows: Object.entries(shipped).map(([job, { name, sha256 }]) => [job, name, sha256]),
    }),
    {
      ...section('', {
        caption: 'Machines that figures were made on, with their Node',
        words: true,
        head: ['machine', 'figures'],
        rows: [...machines].map(([machine, names]) => [machine, names.join(', ')]),
      }),
      title: null,
    },
    {
      ...section('', {
        caption: 'Packages',
        words: true,
        head: ['package', 'version', 'at run time'],
        rows: [
          ...Object.entries(dependencies).map(([name, version]) => [name, version, 'yes']),
          ...Object.entries(devDependencies).map(([name, version]) => [name, version, 'no']),
        ],
      }),
      title: null,
    },
  ];
}
