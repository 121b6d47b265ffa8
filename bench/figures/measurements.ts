/** What the tables of the pages are of: the command that measures each, and how what it found becomes tables. */

import { renderAccess } from '../access/run.ts';
import { arithmeticMarkdown } from '../arithmetic/compare.ts';
import { renderAttacks } from '../attacks/run.ts';
import { renderFailover } from '../backends/failover.ts';
import { renderBackends } from '../backends/run.ts';
import { carryOverMarkdown } from '../carry-over/render.ts';
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
import { renderQueue } from '../queue/render.ts';
import { render as renderRetrieval } from '../retrieval/report.ts';
import { renderServe } from '../serve/render.ts';
import { renderStream } from '../stream/run.ts';
import { renderTickets } from '../tickets/run.ts';
import { renderVerify } from '../verify/run.ts';
import { VERIFY_SETS } from '../verify/sets.ts';

/** How a figure is measured. `{data}`, `{out}` and `{shared}` are folders, as in the matrices of `repro`. */
export interface Measured {
  command: readonly string[];
  /** The file in `{out}` that it writes, or `stdout`. */
  result: string;
  /** Files of the data folder that it reads. */
  needs: readonly string[];
  /** What the tables are made of; left out: all of the result. */
  keep?: (result: never) => unknown;
}

export interface Measurement {
  /** Left out where the bench keeps its own figures, with `--figures`: it knows the hashes of its index and questions. */
  measured?: Measured;
  /** The report as part of a page. Throws for one of another shape. */
  tables: (report: never) => string;
  /** Other tables of the same result, by the name of their markers. */
  also?: Readonly<Record<string, (report: never) => string>>;
}

const OUT = ['--data', '{data}', '--out', '{out}'];
const CACHED = [...OUT, '--cache', '{shared}/indexes'];
const SQUAD = 'squad/squad11-dev-articles-a.tsv.gz';
const CRANFIELD = 'cranfield/cran.all.1400.xml.gz';
const NEW_WIKI = 'squad/squadshifts-new_wiki-v1.0.json.gz';
const HOTPOT = ['hotpotqa/pooled-first-500-queries.jsonl', 'hotpotqa/pooled-first-500-corpus.jsonl.gz'];

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
  'arithmetic-float': { tables: arithmeticMarkdown },
  'arithmetic-processors': { tables: arithmeticMarkdown },
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
        ...['bench', 'backends', '--start', 'opensearch', '--sets', 'new-wiki'],
        ...['--limit', '100', '--decisions', '20', '--json'],
        ...['--data', '{data}', '--cache', '{shared}/indexes'],
      ],
      result: 'stdout',
      needs: [NEW_WIKI],
    },
    tables: page(renderBackends),
  },
  'carry-over': { tables: carryOverMarkdown },
  decisions: {
    measured: {
      command: ['bench', 'decisions', '--limit', '500', '--omit', 'graph', '--timing', '200', ...CACHED],
      result: 'decisions.json',
      needs: ['sharc/sharc_dev.json.gz', 'contract-nli/dev.json.gz', SQUAD],
      keep: ({ sets, timing }: DecisionsReport) => ({ sets, timing }),
    },
    tables: decisionsTables,
    also: { 'decisions-in-full': ({ sets }: DecisionsReport) => decisionsInFull(sets) },
  },
  defaults: {
    measured: { command: ['bench', 'defaults', '--out', '{out}'], result: 'defaults.json', needs: [] },
    tables: defaultsMarkdown,
  },
  documents: { tables: documentsMarkdown },
  emanual: { tables: documentsMarkdown },
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
  general: { tables: generalMarkdown },
  generation: { tables: page(renderGeneration) },
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
    measured: { command: ['bench', 'tickets', '--json'], result: 'stdout', needs: [] },
    tables: page(renderTickets),
  },
  governance: {
    measured: { command: ['bench', 'governance', '--json'], result: 'stdout', needs: [] },
    tables: page(renderGovernance),
  },
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
