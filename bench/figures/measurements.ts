/** What the tables of the pages are of: the command that measures each, and how what it found becomes tables. */

import { renderAccess } from '../access/run.ts';
import { arithmeticMarkdown } from '../arithmetic/compare.ts';
import { renderAsking } from '../asking/run.ts';
import { renderAttacks } from '../attacks/run.ts';
import { renderFailover } from '../backends/failover.ts';
import { renderIndexingKills } from '../backends/indexing-kills.ts';
import { renderBackends } from '../backends/run.ts';
import { carryOverMarkdown } from '../carry-over/render.ts';
import { renderCollections } from '../collections/run.ts';
import { contenderFigures } from '../contenders/draw.ts';
import { renderContenders } from '../contenders/render.ts';
import { decisionsInFull } from '../decisions/markdown.ts';
import { renderOverview, renderSet, renderTiming } from '../decisions/render.ts';
import type { SetReport } from '../decisions/report.ts';
import type { Timing } from '../decisions/timing.ts';
import { defaultsMarkdown } from '../defaults/run.ts';
import { documentsMarkdown } from '../documents/render.ts';
import { renderEntailment } from '../entailment/run.ts';
import { generalMarkdown } from '../general/render.ts';
import { renderGeneration } from '../generation/run.ts';
import { renderGovernance } from '../governance/run.ts';
import { renderLatency, renderQueries } from '../latency/render.ts';
import { type LexicalReport, renderLexical } from '../lexical/run.ts';
import { asPage, type Layout, markdownTable, withInterval } from '../measure/table.ts';
import { renderHistories } from '../memory/histories.ts';
import { renderOpenness } from '../openness/run.ts';
import { renderProviders } from '../providers/run.ts';
import { renderQueue } from '../queue/render.ts';
import { render as renderRetrieval } from '../retrieval/report.ts';
import { renderScale } from '../scale/render.ts';
import { renderServe } from '../serve/render.ts';
import { renderStream } from '../stream/run.ts';
import { renderTickets } from '../tickets/run.ts';
import { profilesMarkdown } from '../tuning/render-profiles.ts';
import { renderVerify } from '../verify/run.ts';
import { VERIFY_SETS } from '../verify/sets.ts';
import { BUDGETS, frontierFigures, frontierMarkdown, frontierReport, POLICIES } from './frontier.ts';
import { selectiveFigures, selectiveMarkdown, selectiveReport, type TabledFigure } from './selective.ts';

/** How a figure is measured. `{data}`, `{out}` and `{shared}` are folders, as in the matrices of `repro`. */
export interface Measured {
  /** What has to be done first, in this order. */
  before?: readonly (readonly string[])[];
  command: readonly string[];
  /** The file in `{out}` that it writes, or `stdout`. */
  result: string;
  /** Files of the data folder that it reads. */
  needs: readonly string[];
  /** Other files in `{out}` that tables are made of too, which commands before left. */
  beside?: readonly string[];
  /** What the tables are made of, of the result and the files beside it; left out: all of the result. */
  keep?: (result: never, ...beside: never[]) => unknown;
}

export interface Measurement {
  /** Left out where the bench keeps its own figures, with `--figures`: it knows the hashes of its index and questions. */
  measured?: Measured;
  /** The report as part of a page. Throws for one of another shape. */
  tables: (report: never) => string;
  /** Other tables of the same result, by the name of their markers. */
  also?: Readonly<Record<string, (report: never) => string>>;
  /** What can be drawn of it; `name` goes before the names of the figures. */
  figures?: (report: never, name: string) => TabledFigure[];
  /** Left out of "measured": why no command of ours alone can measure it. */
  byHand?: string;
}

const OUT = ['--data', '{data}', '--out', '{out}'];
const CACHED = [...OUT, '--cache', '{shared}/indexes'];
const SQUAD = 'squad/squad11-dev-articles-a.tsv.gz';
const CRANFIELD = 'cranfield/cran.all.1400.xml.gz';
const NEW_WIKI = 'squad/squadshifts-new_wiki-v1.0.json.gz';
const HOTPOT = ['hotpotqa/pooled-first-500-queries.jsonl', 'hotpotqa/pooled-first-500-corpus.jsonl.gz'];

const words = (line: string): string[] => line.split(/\s+/);

const DECISION_SETS = words(
  `sharc/sharc_dev.json.gz or-sharc/id2snippet.json or-sharc/open_retrieval_sharc_dev.jsonl contract-nli/dev.json.gz
  squad/squad2-dev-cs224n.json.gz squad/squad2-dev-san-slice.json squad/squad2-dev-small.json clariq/train.tsv.gz
  clariq/dev.tsv ambigqa/dev_light.json.gz abg-coqa/coqa_abg_val.json.gz canard/dev.json.gz falseqa/train.csv
  clinc-oos/data_full.json.gz ramdocs/RAMDocs_test.jsonl.gz conflictqa/conflictQA-strategyQA-chatgpt.jsonl.gz
  conflictqa/conflictQA-strategyQA-llama2-70b.jsonl.gz`,
);

const MIX_FILES = words(
  'sharc/sharc_dev.json.gz contract-nli/dev.json.gz canard/dev.json.gz abg-coqa/coqa_abg_val.json.gz',
).concat(HOTPOT);

const page =
  <T>(render: (report: T, layout: Layout) => string) =>
  (report: T): string =>
    asPage(render(report, markdownTable));

const retrieval = (set: string, limit: number, needs: readonly string[]): Measurement => ({
  measured: {
    command: ['bench', 'retrieval', '--sets', set, '--rerank-limit', String(limit), ...CACHED],
    result: `retrieval-${set}.json`,
    needs,
  },
  tables: page(renderRetrieval),
});

/** Answer or abstain: every contender on a set, or a draw from it. */
const contenders = (set: string, limit: number, needs: readonly string[]): Measurement => ({
  measured: {
    command: [
      ...['bench', 'contenders', '--set', set, '--titles', '--limit', String(limit), '--timing', '60'],
      ...['--records', '{shared}/contenders', ...CACHED],
    ],
    result: `contenders-${set}.json`,
    needs,
  },
  tables: page(renderContenders),
  figures: contenderFigures,
});

/** A set, or a draw from it, as documents and questions in a folder, and their index beside them. */
const indexed = (set: string, limit: number, folder: string) => [
  words(`bench export --set ${set} --titles --limit ${limit} --data {data} --out ${folder}`),
  words(`index ${folder}/documents.jsonl --out ${folder}/index`),
];

/** Answering selectively on a set, or a draw from it: a tau per act, and one tau for all. */
const selective = (set: string, limit: number, needs: readonly string[]): Measurement => {
  const folder = `{shared}/selective-${set}`;
  const queries = `${folder}/questions.ndjson`;
  const measuring = `--index ${folder}/index --cache ${folder}/observations`;
  const calibrate = (scope: string, out: string) =>
    words(
      `calibrate ${measuring} --dev ${queries} --target coverage --level 0.8 --score formula --split 25/25/50 --scope ${scope} --out ${out}`,
    );
  const evaluate = (calibration: string, out: string) =>
    words(
      `evaluate ${measuring} --test ${queries} --set-aside ${queries} --calibration ${calibration} --out ${out}`,
    );
  return {
    measured: {
      before: [
        ...indexed(set, limit, folder),
        calibrate('global', '{out}/one-tau.json'),
        evaluate('{out}/one-tau.json', '{out}/one-tau'),
        calibrate('acts', '{out}/per-act.json'),
      ],
      command: evaluate('{out}/per-act.json', '{out}'),
      result: 'metrics.json',
      beside: ['one-tau/metrics.json'],
      needs,
      keep: (perAct: never, oneTau: never) => selectiveReport({ 'one tau': oneTau, 'tau per act': perAct }),
    },
    tables: selectiveMarkdown,
    figures: selectiveFigures,
  };
};

const FRONTIER = '{shared}/frontier';
/** One policy under one budget after another; the last one is the result, the others lie beside it. */
const FRONTIER_RUNS = POLICIES.flatMap((policy) =>
  Object.entries(BUDGETS).map(([budget, most]) => {
    const name = `${policy}-${budget}`;
    const budgets = Object.entries(most).flatMap(([unit, n]) => [`--budget.${unit}`, String(n)]);
    const test = `--index ${FRONTIER}/index --test ${FRONTIER}/questions.ndjson --policy ${policy}`;
    return {
      name,
      // With a cache of its own: times are of this run.
      command: [
        ...words(`evaluate ${test} --cache {out}/observations/${name} --out {out}/${name}`),
        ...budgets,
      ],
    };
  }),
);

/** By the name of the result file, which is also that of the markers. */
export const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  access: {
    measured: { command: ['bench', 'access', '--json'], result: 'stdout', needs: [] },
    tables: page(renderAccess),
  },
  'access-queue': {
    measured: {
      command: ['bench', 'access', '--cases', '1000', '--queue', '--json'],
      result: 'stdout',
      needs: [],
    },
    tables: page(renderAccess),
  },
  'speech-acts': {
    measured: {
      command: ['classify', 'evaluate', '--json', '--data', '{data}'],
      result: 'stdout',
      needs: ['trec-qc/train_5500.label', 'nf-cats/train.csv', 'nf-cats/valid.csv'],
      keep: ({ sets }: ActsEvaluation) =>
        sets.map(({ set, features, texts, fourActs, nineActs, macroF1 }) => ({
          set,
          features,
          texts,
          fourActs,
          nineActs,
          macroF1,
        })),
    },
    tables: actsTable,
  },
  'arithmetic-float': {
    byHand: 'it compares records of processors that one machine does not have',
    tables: arithmeticMarkdown,
  },
  'arithmetic-processors': {
    byHand: 'it compares records of processors that one machine does not have',
    tables: arithmeticMarkdown,
  },
  asking: {
    measured: { command: ['bench', 'asking', '--questions', '0', '--json'], result: 'stdout', needs: [] },
    tables: page(renderAsking),
  },
  'asking-places': {
    measured: {
      command: [
        ...['bench', 'asking', '--conversations', '0', '--json'],
        ...['--data', '{data}', '--cache', '{shared}/indexes'],
      ],
      result: 'stdout',
      needs: [NEW_WIKI, 'policyqa/dev.json.gz'],
    },
    tables: page(renderAsking),
  },
  attacks: {
    measured: {
      command: ['bench', 'attacks', '--json', '--data', '{data}'],
      result: 'stdout',
      needs: [SQUAD, 'conditionalqa/dev.json.gz'],
    },
    tables: page(renderAttacks),
  },
  backends: {
    measured: {
      command: [
        ...['bench', 'backends', '--start', 'opensearch', 'pgvector'],
        ...['--limit', '200', '--decisions', '50', '--json'],
        ...['--data', '{data}', '--cache', '{shared}/indexes'],
      ],
      result: 'stdout',
      needs: [NEW_WIKI, SQUAD, CRANFIELD, ...HOTPOT],
    },
    tables: page(renderBackends),
  },
  'carry-over': {
    byHand: 'it is made of what "bench carry-over --measured" kept, which needs packages of Debian',
    tables: carryOverMarkdown,
  },
  collections: { tables: page(renderCollections) },
  'contenders-hotpot': contenders('hotpot', 500, HOTPOT),
  // A tenth of SQuAD's development set, as the paper has it.
  'contenders-squad': contenders('articles-a', 1_057, [SQUAD]),
  decisions: {
    measured: {
      command: ['bench', 'decisions', '--limit', '500', '--omit', 'graph', '--timing', '200', ...CACHED],
      result: 'decisions.json',
      needs: [...DECISION_SETS, ...HOTPOT, SQUAD],
      keep: ({ sets, timing }: DecisionsReport) => ({ sets, timing }),
    },
    tables: decisionsTables,
    also: { 'decisions-in-full': ({ sets }: DecisionsReport) => decisionsInFull(sets) },
  },
  defaults: {
    measured: { command: ['bench', 'defaults', '--out', '{out}'], result: 'defaults.json', needs: [] },
    tables: defaultsMarkdown,
  },
  documents: {
    byHand: 'it needs packages of Debian that "bench documents --setup" downloads',
    tables: documentsMarkdown,
  },
  'short-questions': {
    byHand: 'it needs packages of Debian that "bench documents --setup" downloads',
    tables: documentsMarkdown,
  },
  emanual: {
    byHand: 'it is held against an earlier run ("bench documents --against")',
    tables: documentsMarkdown,
  },
  entailment: {
    measured: { command: ['bench', 'entailment', '--half', 'held', '--json'], result: 'stdout', needs: [] },
    tables: page(renderEntailment),
  },
  failover: {
    measured: {
      command: ['bench', 'failover', '--json'],
      result: 'stdout',
      needs: [],
    },
    tables: page(renderFailover),
  },
  'failover-indexing': {
    measured: {
      command: ['bench', 'failover', '--indexing', '100', '--json'],
      result: 'stdout',
      needs: [],
    },
    tables: page(renderIndexingKills),
  },
  'failover-writers': {
    measured: {
      command: ['bench', 'failover', '--kills', '0', '--writes', '2', '--json'],
      result: 'stdout',
      needs: [],
    },
    tables: page(renderFailover),
  },
  frontier: {
    measured: {
      before: [
        ...indexed('articles-a', 300, FRONTIER),
        ...FRONTIER_RUNS.slice(0, -1).map(({ command }) => command),
      ],
      command: FRONTIER_RUNS.at(-1)!.command,
      result: `${FRONTIER_RUNS.at(-1)!.name}/metrics.json`,
      beside: FRONTIER_RUNS.slice(0, -1).map(({ name }) => `${name}/metrics.json`),
      needs: [SQUAD],
      keep: (last: never, ...others: never[]) =>
        frontierReport(
          Object.fromEntries(
            FRONTIER_RUNS.map(({ name }, place) => [name, place < others.length ? others[place]! : last]),
          ),
        ),
    },
    tables: frontierMarkdown,
    figures: frontierFigures,
  },
  information: {
    measured: {
      command: [
        ...['bench', 'decisions', '--sets', 'mix,mix-open', '--limit', '500', '--omit', 'graph'],
        ...['--timing', '0', ...CACHED],
      ],
      result: 'decisions.json',
      needs: MIX_FILES,
      keep: ({ sets }: DecisionsReport) => ({ sets }),
    },
    tables: page(({ sets }: DecisionsReport, layout: Layout) =>
      sets.map((set) => renderSet(set, layout)).join('\n\n'),
    ),
  },
  general: {
    byHand: 'it needs packages of Debian that "bench documents --setup" downloads',
    tables: generalMarkdown,
  },
  openness: {
    byHand: 'it is made of what "bench documents" kept, which needs packages of Debian',
    tables: page(renderOpenness),
  },
  generation: {
    byHand: 'it needs a language model, which is no part of the project',
    tables: page(renderGeneration),
  },
  providers: {
    byHand:
      'it needs a card, and none was at hand: "pragaura bench providers --provider cuda --figures FILE"',
    tables: page(renderProviders),
  },
  latency: {
    measured: {
      command: ['bench', 'latency', '-n', '100', '--seconds', '30', ...CACHED],
      result: 'latency.json',
      needs: [SQUAD],
    },
    tables: page(renderLatency),
  },
  'lexical-engines': {
    measured: {
      command: ['bench', 'lexical', ...OUT],
      result: 'lexical.json',
      needs: [NEW_WIKI],
      // Its options name folders of one machine.
      keep: ({ options: _, ...report }: LexicalReport) => report,
    },
    tables: page(renderLexical),
  },
  malformed: {
    measured: {
      command: ['bench', 'serve', '--parts', 'malformed', '--requests', '12000', ...CACHED],
      result: 'serve.json',
      needs: [SQUAD],
    },
    tables: page(renderServe),
  },
  memory: {
    measured: { command: ['bench', 'memory', '--json'], result: 'stdout', needs: [] },
    tables: page(renderHistories),
  },
  tickets: {
    measured: {
      command: ['bench', 'tickets', '--passages', '0', '--json'],
      result: 'stdout',
      needs: [],
    },
    tables: page(renderTickets),
  },
  'tickets-time': {
    measured: {
      command: ['bench', 'tickets', '--histories', '0', '--kills', '0', '--json'],
      result: 'stdout',
      needs: [],
    },
    tables: page(renderTickets),
  },
  governance: {
    measured: { command: ['bench', 'governance', '--json'], result: 'stdout', needs: [] },
    tables: page(renderGovernance),
  },
  profiles: { tables: profilesMarkdown },
  query: {
    measured: {
      command: ['bench', 'query', '-n', '100', ...CACHED],
      result: 'query.json',
      needs: [SQUAD],
    },
    tables: page(renderQueries),
  },
  queue: {
    measured: { command: ['bench', 'queue', ...CACHED], result: 'queue.json', needs: [SQUAD] },
    tables: page(renderQueue),
  },
  'retrieval-cranfield': retrieval('cranfield', 1_500, [CRANFIELD]),
  'retrieval-hotpot': retrieval('hotpot', 500, HOTPOT),
  scale: {
    measured: {
      command: [
        ...['bench', 'scale', '--questions', '100', '--sample', '1000', '--decisions', '20'],
        ...['--start', 'opensearch', 'pgvector', '--shards', '1,2,4', '--shards-at', '10000'],
        ...['--json', '--data', '{data}', '--work', '{shared}/scale'],
      ],
      result: 'stdout',
      needs: [NEW_WIKI, SQUAD, 'squad/squad11-train-44-articles.tsv.gz', ...HOTPOT],
    },
    tables: page(renderScale),
  },
  'selective-hotpot': selective('hotpot', 500, HOTPOT),
  // A tenth of SQuAD's development set, as the paper has it.
  'selective-squad': selective('articles-a', 1_057, [SQUAD]),
  serve: {
    measured: {
      // Malformed requests need a fuzzer that is no package of npm.
      command: [
        ...['bench', 'serve', '-n', '30', '--seconds', '32', ...CACHED],
        ...['--parts', 'overhead', 'connections', 'slow', 'drain', 'page'],
      ],
      result: 'serve.json',
      needs: [SQUAD],
    },
    tables: page(renderServe),
  },
  stream: {
    measured: {
      command: ['bench', 'stream', '-n', '1000', ...CACHED],
      result: 'stream.json',
      needs: [SQUAD],
    },
    tables: page(renderStream),
  },
  verify: {
    measured: {
      command: ['bench', 'verify', '--json', '--data', '{data}'],
      result: 'stdout',
      needs: Object.values(VERIFY_SETS).map(({ file }) => file),
    },
    tables: page(renderVerify),
  },
};

interface Share {
  value: number;
  low: number;
  high: number;
}

interface ActsEvaluation {
  sets: {
    set: string;
    features: string;
    texts: number;
    fourActs: Share;
    nineActs: Share;
    macroF1: Share;
  }[];
}

function actsTable(sets: ActsEvaluation['sets']): string {
  const shown = ({ value, low, high }: Share) => withInterval(value, { low, high });
  return markdownTable(
    ['texts', 'features', 'n', 'four acts', 'nine acts', 'macro-F1, nine acts'],
    sets.map(({ set, features, texts, fourActs, nineActs, macroF1 }) => [
      set,
      features,
      String(texts),
      ...[fourActs, nineActs, macroF1].map(shown),
    ]),
  );
}

interface DecisionsReport {
  sets: SetReport[];
  timing: Timing | null;
}

/** Every policy on the mix, then the policies that matter on every set. */
function decisionsTables({ sets, timing }: DecisionsReport): string {
  const mix = sets.filter(({ set }) => set === 'mix').map((set) => renderSet(set, markdownTable));
  return asPage(
    [
      ...mix,
      'Every set, and the policies that matter:',
      renderOverview(sets, markdownTable),
      ...(timing === null ? [] : [renderTiming(timing)]),
    ].join('\n'),
  );
}
