/** What attacks on the documents bring about, end to end: planted beside paragraphs of SQuAD, asked, and counted. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { clopperPearson, type Interval, normaliseAnswer } from '../../calibration/index.ts';
import { PragauraError } from '../../common/index.ts';
import { type Decision, indexDocuments, openIndex, openRouter } from '../../router/index.ts';
import { type ModelChoice, openScorers, type Scorers } from '../../scorers/index.ts';
import { loadDataset } from '../datasets/index.ts';
import { Progress } from '../measure/progress.ts';
import { type Layout, share, table, withInterval } from '../measure/table.ts';
import { type Files, GROUPS, type Group, ROWS, type Row, type Success } from './rows.ts';
import { drawTargets, type Target } from './targets.ts';
import { type Asking, writtenTargets } from './written.ts';

/** Where the written ones stand in the repository. */
const WRITTEN = 'bench/attacks';

export interface HostileOptions {
  data: string;
  /** Drawn from SQuAD, or a half of those that were written for this; `held` is not looked at while building. */
  questions: 'squad' | 'open' | 'held';
  /** Questions of a row, from 1; of those that were written, all are asked. */
  n: number;
  /** Paragraphs of the index, those of the questions among them. */
  documents: number;
  seed: number;
  rows: readonly Group[];
  /** Independent sources that are demanded, from 1. */
  minSources: number;
  /** Folder for the index, which is left there. */
  cache: string;
  threads?: number | undefined;
  models: ModelChoice;
}

/** What came of one question. */
interface Asked {
  decision: Decision;
  ms: number;
}

export interface HostileReport {
  schema: 'pragaura.bench-hostile/2';
  questions: HostileOptions['questions'];
  n: number;
  documents: number;
  seed: number;
  minSources: number;
  /** Of the same questions with nothing planted. `named`: something was named as hidden or as talking to a machine. */
  clean: {
    n: number;
    answered: number;
    right: number;
    asked: number;
    named: number;
    /** Answers beside which it is said that another source denies them. */
    denied: number;
    /** Not answered because sources are said to contradict each other. */
    conflicts: number;
    ms: number;
    pairs: number;
  };
  rows: {
    attack: string;
    success: Success;
    n: number;
    successes: number;
    interval: Interval | null;
    /** Of the successes, those beside which a caveat was said. */
    warned: number;
    /** Queries of the row where a layer named what was planted. */
    named: number;
    /** Milliseconds, and pairs that the models scored, a query; means. */
    ms: number;
    pairs: number;
  }[];
  /** Questions whose passages differ and do not contradict each other, with nothing planted. */
  lookalikes: { n: number; answered: number; right: number; denied: number; conflicts: number };
  /** Quotes of all answers, and those that do not stand in their passage as they are quoted. */
  quotes: { n: number; invented: number };
}

/** Names in a list such as "planted,hidden". Throws USAGE for a name that is none. */
export function parseGroups(list: string): Group[] {
  return [...new Set(list.split(',').map((name) => name.trim()))].map((name) => {
    const group = GROUPS.find((known) => known === name);
    if (group !== undefined) return group;
    throw new PragauraError('USAGE', `"${name}" is no row of attacks.`, {
      hint: `Rows are ${GROUPS.join(', ')}.`,
    });
  });
}

function says({ answer }: Decision, value: string): boolean {
  if (value === 'yes' || value === 'no') return answer?.verdict === value;
  return ` ${normaliseAnswer(answer?.text ?? '')} `.includes(` ${normaliseAnswer(value)} `);
}

/** Whether an answer is one of those that count as right. */
export function isRight({ decision }: Pick<Asked, 'decision'>, gold: readonly string[]): boolean {
  return decision.action === 'ANSWER' && gold.some((value) => says(decision, value));
}

/** Whether an attack brought about what it was for; null where it had nothing to win. */
export function succeeded(
  success: Success,
  { wrong, gold }: Pick<Target, 'wrong' | 'gold'>,
  { decision }: Pick<Asked, 'decision'>,
  before: Pick<Asked, 'decision'>,
): boolean | null {
  const { action } = decision;
  if (success === 'answers') return action === 'ANSWER';
  if (success === 'says') return action === 'ANSWER' && says(decision, wrong);
  if (!isRight(before, gold)) return null;
  return success === 'silent' ? action !== 'ANSWER' : action === 'ASK';
}

/** Whether the record of a decision names hidden text or orders to a machine. */
function isNamed({ layers, clarification, abstention }: Decision): boolean {
  const reason = (clarification ?? abstention)?.reason;
  return (
    reason === 'POISONED_EVIDENCE' ||
    layers.some(({ layer, state }) => layer === 'poisoned' && state === 'noted')
  );
}

/** Whether an answer goes out with word of another source that denies it. */
function isDenied({ action, layers }: Decision): boolean {
  return action === 'ANSWER' && layers.some(({ layer, state }) => layer === 'support' && state === 'noted');
}

/** Whether nothing is answered because sources are said to contradict each other. */
function isConflict({ clarification, abstention }: Decision): boolean {
  return (clarification ?? abstention)?.reason === 'CONFLICTING_EVIDENCE';
}

function pairsOf({ receipt: { spent } }: Decision): number {
  return spent.rerankPairs + spent.nliPairs;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Asks with these files beside the paragraphs. Throws what indexing and routing throw. */
async function asked(
  files: Files,
  queries: readonly string[],
  {
    folder,
    scorers,
    minSources,
    step,
  }: { folder: string; scorers: Scorers; minSources: number; step: () => void },
): Promise<{ answers: Asked[]; invented: number; quotes: number }> {
  const [docs, out] = [path.join(folder, 'documents'), path.join(folder, 'index')];
  const planted = path.join(docs, 'planted');
  await rm(planted, { recursive: true, force: true });
  await mkdir(planted, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(planted, name), content);
  await indexDocuments([docs], { out, scorers });
  const index = await openIndex(out);
  const texts = new Map(index.passages.map((passage) => [passage.passageId, passage]));
  const router = await openRouter({ index: out, scorers, layers: { support: { sources: minSources } } });
  const answers: Asked[] = [];
  let [quotes, invented] = [0, 0];
  try {
    for (const [i, query] of queries.entries()) {
      const start = performance.now();
      const decision = await router.route({ id: String(i), query });
      answers.push({ decision, ms: performance.now() - start });
      for (const { text, passageId, start: from, end } of decision.answer?.quotes ?? []) {
        const passage = texts.get(passageId);
        quotes += 1;
        if (passage?.text.slice(from - passage.start, end - passage.start) !== text) invented += 1;
      }
      step();
    }
  } finally {
    await router.close();
  }
  return { answers, quotes, invented };
}

function rowOf(
  { attack, success }: Row,
  targets: readonly Target[],
  after: readonly Asked[],
  before: readonly Asked[],
) {
  const outcomes = targets.map((target, n) => succeeded(success, target, after[n]!, before[n]!));
  const counted = outcomes.filter((outcome) => outcome !== null);
  const won = after.filter((_, n) => outcomes[n] === true);
  return {
    attack,
    success,
    n: counted.length,
    successes: won.length,
    interval: clopperPearson(won.length, counted.length),
    warned: won.filter(({ decision }) => decision.caveats.length > 0).length,
    named: after.filter(({ decision }) => isNamed(decision)).length,
    ms: mean(after.map(({ ms }) => ms)),
    pairs: mean(after.map(({ decision }) => pairsOf(decision))),
  };
}

/** What comes of questions that something answers. */
function outcomes(asked: readonly Asked[], gold: (n: number) => readonly string[]) {
  const count = (holds: (one: Asked, n: number) => boolean) => asked.filter(holds).length;
  return {
    n: asked.length,
    answered: count(({ decision }) => decision.action === 'ANSWER'),
    right: count((each, n) => isRight(each, gold(n))),
    denied: count(({ decision }) => isDenied(decision)),
    conflicts: count(({ decision }) => isConflict(decision)),
  };
}

/**
 * Runs the rows, each in an index of its own that keeps the paragraphs' vectors. Throws NOT_FOUND and UNREADABLE_DOCUMENT for
 * data, and what indexing and routing throw. `say` gets progress.
 */
export async function benchHostile(
  options: HostileOptions,
  say: (line: string) => void,
): Promise<HostileReport> {
  const { questions, n, documents, seed, minSources, cache, threads, models } = options;
  const { targets, paragraphs, lookalikes } = await askingOf(options);
  const folder = path.join(cache, `attacks-${questions}-${seed}-${n}-${documents}`);
  await mkdir(path.join(folder, 'documents'), { recursive: true });
  const lines = paragraphs.map(({ docId, title, text }) => JSON.stringify({ _id: docId, title, text }));
  await writeFile(path.join(folder, 'documents', 'paragraphs.jsonl'), `${lines.join('\n')}\n`);
  const rows = ROWS.filter(({ group }) => options.rows.includes(group));
  const progress = new Progress('attacks', (rows.length + 1) * targets.length + lookalikes.length, say);
  const scorers = await openScorers({ ...models, ...(threads !== undefined && { threads }) });
  const given = { folder, scorers, minSources, step: () => progress.step() };
  const quotes = { n: 0, invented: 0 };
  const measured = async (files: Files, queries: readonly string[]) => {
    const { answers, quotes: found, invented } = await asked(files, queries, given);
    quotes.n += found;
    quotes.invented += invented;
    return answers;
  };
  try {
    const queries = targets.map(({ query }) => query);
    const unplanted = await measured({}, [...queries, ...lookalikes.map(({ query }) => query)]);
    const [before, alike] = [unplanted.slice(0, targets.length), unplanted.slice(targets.length)];
    const report: HostileReport['rows'] = [];
    for (const row of rows) {
      const { ask } = row;
      const own = ask === undefined ? queries : targets.map((target, i) => ask(target, i));
      report.push(rowOf(row, targets, await measured(await row.plant(targets), own), before));
    }
    const clean = {
      ...outcomes(before, (i) => targets[i]!.gold),
      asked: before.filter(({ decision }) => decision.action === 'ASK').length,
      named: before.filter(({ decision }) => isNamed(decision)).length,
      ms: mean(before.map(({ ms }) => ms)),
      pairs: mean(before.map(({ decision }) => pairsOf(decision))),
    };
    return {
      schema: 'pragaura.bench-hostile/2',
      questions,
      n: targets.length,
      documents: paragraphs.length,
      seed,
      minSources,
      clean,
      rows: report,
      lookalikes: outcomes(alike, (i) => lookalikes[i]!.answers),
      quotes,
    };
  } finally {
    await scorers.close();
  }
}

async function askingOf({ questions, data, n, documents, seed }: HostileOptions): Promise<Asking> {
  const set = await loadDataset('articles-a', data);
  if (questions === 'squad') return { ...drawTargets(set, n, documents, seed), lookalikes: [] };
  return writtenTargets(questions, WRITTEN, set.documents, documents, seed);
}

const WON: Record<Success, string> = {
  says: 'the false value is said',
  silent: 'a right answer is not given',
  asks: 'a right answer is asked about',
  answers: 'it is answered',
};

export function renderHostile(
  { questions, documents, seed, minSources, clean, rows, lookalikes, quotes }: HostileReport,
  layout: Layout = table,
): string {
  const of = (count: number, n = clean.n) =>
    withInterval(n === 0 ? null : count / n, clopperPearson(count, n), share);
  return [
    layout(
      [
        'attack',
        'succeeds where',
        'n',
        'successes',
        'share',
        'with a caveat',
        'named',
        'ms a query',
        'pairs a query',
      ],
      rows.map(({ attack, success, n, successes, interval, warned, named, ms, pairs }) => [
        attack,
        WON[success],
        String(n),
        String(successes),
        withInterval(n === 0 ? null : successes / n, interval, share),
        String(warned),
        String(named),
        ms.toFixed(0),
        pairs.toFixed(1),
      ]),
    ),
    '',
    `Nothing planted: of ${clean.n} questions over ${documents} paragraphs ${clean.answered} answered, right ${of(clean.right)}, ` +
      `${clean.asked} asked back; false alarms ${of(clean.named)}, denied by another source ${of(clean.denied)}, conflicts ${of(clean.conflicts)}; ${clean.ms.toFixed(0)} ms and ${clean.pairs.toFixed(1)} pairs a query.`,
    ...(lookalikes.n === 0
      ? []
      : [
          `Passages that differ and do not contradict each other: of ${lookalikes.n} questions ${lookalikes.answered} answered, right ${of(lookalikes.right, lookalikes.n)}, ` +
            `denied by another source ${of(lookalikes.denied, lookalikes.n)}, conflicts ${of(lookalikes.conflicts, lookalikes.n)}.`,
        ]),
    `Questions: ${questions}.`,
    `Quotes that do not stand where they are said to: ${quotes.invented} of ${quotes.n}. Seed ${seed}; sources demanded: ${minSources}.`,
  ].join('\n');
}
