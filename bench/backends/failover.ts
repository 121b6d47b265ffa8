/** `pragaura bench failover`: what is decided, lost and half-visible when nodes of a cluster and writers are killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  builtFile,
  messageOf,
  PragauraError,
  type Random,
  seededRandom,
  withoutClocks,
} from '../../common/index.ts';
import { type RunningEngine, startOpenSearch } from '../../corpus/backend/testing/start-opensearch.ts';
import { openBackend, openIndex, publish } from '../../corpus/index.ts';
import { indexDocuments, openRouter, type Router } from '../../router/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import { type Layout, ms, table, upperShare } from '../measure/table.ts';
import { Memo } from '../parity/memo.ts';
import { stateOf, visible } from './visible.ts';

const NODES = 3;

export interface FailoverOptions {
  /** Folder of documents. */
  documents: string;
  /** A question a line. */
  questions: string;
  /** Times that a node is killed and started again under load. */
  kills: number;
  /** Times that whoever writes a generation is killed. */
  writers: number;
  /** Times that a node is killed while a generation is written. */
  writes: number;
  /** Queries at a time. */
  concurrency: number;
  seed: number;
}

/** What became of queries, each held against the decision of a time when nothing was wrong. */
interface Decided {
  same: number;
  /** ABSTAIN with INDEX_UNAVAILABLE. */
  unavailable: number;
  /** Anything else: a failure that was taken for absence, or an error. */
  otherwise: string[];
}

export interface FailoverReport {
  schema: 'pragaura.bench-failover/1';
  documents: number;
  passages: number;
  nodes: number;
  /** One copy of each shard; null where no node was killed. */
  load: {
    kills: number;
    decided: Decided;
    /** Of the query's way but for the models, whose scores are remembered; with all nodes, and with one gone or coming back. */
    calm: LatencySummary;
    disturbed: LatencySummary;
    /** Passages that are not there any more, or not as they were. */
    lost: number;
  } | null;
  /** No copies: what a node held is missing until it is back. */
  alone: { gone: Decided; back: Decided } | null;
  /** Generations that are visible after a writer was killed: the one before, the new one, or anything else. */
  writers: { kills: number; before: number; after: number; torn: string[]; sameInTheEnd: boolean };
  /** Node killed while a generation was written: it was written all the same, or the second run did so. */
  writes: { kills: number; first: number; second: number; torn: string[] };
}

interface Asked {
  id: string;
  query: string;
}

/**
 * Throws what starting the engine, indexing and routing throw, and ABORTED. Once nodes are being killed, `signal` ends that after
 * the one at hand, and the report says how many there were.
 */
export async function benchFailover(
  options: FailoverOptions,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<FailoverReport> {
  const random = seededRandom(options.seed);
  const pool = await openScorers({ announce: say });
  // What a model said of a pair it would say again: what is measured is the index.
  const memo = new Memo(pool);
  const { scorers } = memo;
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-failover-'));
  let engine: RunningEngine | null = null;
  try {
    const dir = path.join(folder, 'copied');
    await indexDocuments([options.documents], { out: dir, scorers });
    const questions = await questionsIn(options.questions);
    engine = await startOpenSearch({ nodes: NODES });
    say(`${NODES} nodes are up`);
    signal.throwIfAborted();
    const parts = { engine, scorers, questions, random, say, signal };
    const [load, alone] = await memo.question(async () =>
      options.kills === 0
        ? [null, null]
        : [await underLoad(dir, options, parts), await withoutCopies(dir, parts)],
    );
    const written = await killedWriters(dir, options, parts);
    const { manifest } = await openIndex(dir);
    const { documents, passages } = manifest.counts;
    return {
      schema: 'pragaura.bench-failover/1',
      documents,
      passages,
      nodes: NODES,
      load,
      alone,
      ...written,
    };
  } finally {
    await engine?.stop();
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Parts {
  engine: RunningEngine;
  scorers: Scorers;
  questions: readonly Asked[];
  random: Random;
  say: (line: string) => void;
  signal: AbortSignal;
}

async function questionsIn(file: string): Promise<Asked[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line, i) => ({ id: `q${i}`, query: (JSON.parse(line) as { query: string }).query }));
}

async function underLoad(
  dir: string,
  { kills, concurrency }: FailoverOptions,
  { engine, scorers, questions, random, say, signal }: Parts,
): Promise<NonNullable<FailoverReport['load']>> {
  await publish(dir, `${engine.backend}?shards=${NODES}&replicas=1`);
  await untilGreen(engine);
  const router = await openRouter({ index: dir, backend: engine.backend, scorers });
  const reference = await decisionsOf(router, questions, signal);
  const decided: Decided = { same: 0, unavailable: 0, otherwise: [] };
  const [calm, disturbed] = [new Latencies(), new Latencies()];
  let isWhole = true;
  let killed = 0;
  const done = new AbortController();
  let next = 0;
  const asking = Array.from({ length: concurrency }, async () => {
    while (!done.signal.aborted) {
      const question = questions[next++ % questions.length]!;
      const [began, before] = [performance.now(), isWhole];
      count(decided, await outcomeOf(router, question, reference));
      (before && isWhole ? calm : disturbed).record(performance.now() - began);
    }
  });
  try {
    await sleep(5_000);
    for (; killed < kills && !signal.aborted; killed += 1) {
      const node = engine.nodes[Math.floor(random() * NODES)]!;
      isWhole = false;
      await node.kill();
      await sleep(random() * 3_000);
      await node.start();
      await untilGreen(engine);
      isWhole = true;
      say(
        `kill ${killed + 1} of ${kills}: ${decided.same} decided the same, ${decided.unavailable} unavailable, ${decided.otherwise.length} otherwise`,
      );
      await sleep(1_000 + random() * 2_000);
    }
  } finally {
    done.abort();
    await Promise.all(asking);
    await router.close();
  }
  const lost = await lostOf(dir, engine.backend);
  return { kills: killed, decided, calm: calm.summary(), disturbed: disturbed.summary(), lost };
}

async function withoutCopies(
  dir: string,
  { engine, scorers, questions, say }: Parts,
): Promise<NonNullable<FailoverReport['alone']>> {
  const own = path.join(dir, '..', 'alone');
  await cp(dir, own, { recursive: true });
  await publish(own, `${engine.backend}?shards=${NODES}&replicas=0`);
  const router = await openRouter({ index: own, backend: engine.backend, scorers });
  try {
    const reference = await decisionsOf(router, questions);
    const asked = async () => {
      const decided: Decided = { same: 0, unavailable: 0, otherwise: [] };
      for (const question of questions) count(decided, await outcomeOf(router, question, reference));
      return decided;
    };
    await engine.nodes[1]!.kill();
    const gone = await asked();
    await engine.nodes[1]!.start();
    await untilGreen(engine);
    // One that was left alone for its failures is asked again by now.
    await sleep(6_000);
    const back = await asked();
    say(`without copies: ${gone.unavailable} unavailable, then ${back.unavailable}`);
    return { gone, back };
  } finally {
    await router.close();
  }
}

/** Two generations under one name: the first is there, and whoever writes the second is killed. */
async function killedWriters(
  dir: string,
  { writers, writes }: FailoverOptions,
  { engine, scorers, random, say, signal }: Parts,
): Promise<Pick<FailoverReport, 'writers' | 'writes'>> {
  const [first, second] = [path.join(dir, '../first/killed'), path.join(dir, '../second/killed')];
  for (const [own, source] of [
    [first, dir],
    [second, dir],
  ] as const) {
    await mkdir(path.dirname(own));
    await cp(source, own, { recursive: true });
  }
  const { documents } = await openIndex(second);
  await indexDocuments([], { out: second, scorers, keepMissing: true, remove: [documents[0]!.docId] });
  const [old, wanted] = [await stateOf(first), await stateOf(second)];
  const backend = `${engine.backend}?shards=${NODES}&replicas=1`;
  await publish(first, backend);
  const began = performance.now();
  await ended(publishing(second, backend));
  const whole = performance.now() - began;
  const counted = await engineCount(engine);
  await takeBack(first, backend, engine);

  const report = { kills: 0, before: 0, after: 0, torn: [] as string[], sameInTheEnd: false };
  for (let kill = 1; kill <= writers && !signal.aborted; kill += 1) {
    report.kills = kill;
    const child = publishing(second, backend);
    await sleep(random() * whole);
    child.kill('SIGKILL');
    await ended(child);
    const seen = await visible('killed', backend.split('?')[0]!);
    if (seen === old) report.before += 1;
    else if (seen === wanted) report.after += 1;
    else report.torn.push(`kill ${kill}: ${seen}`);
    if (seen !== old) await takeBack(first, backend, engine);
    if (kill % 10 === 0)
      say(`${kill} of ${writers} writers killed: ${report.before} before, ${report.after} after`);
  }
  await ended(publishing(second, backend));
  report.sameInTheEnd =
    (await visible('killed', backend.split('?')[0]!)) === wanted && (await engineCount(engine)) === counted;

  const during = { kills: 0, first: 0, second: 0, torn: [] as string[] };
  for (let kill = 1; kill <= writes && !signal.aborted; kill += 1) {
    during.kills = kill;
    await takeBack(first, backend, engine);
    const node = engine.nodes[Math.floor(random() * NODES)]!;
    const child = publishing(second, backend);
    await sleep(random() * whole);
    await node.kill();
    const failed = (await ended(child)) !== 0;
    const seen = await visible('killed', backend.split('?')[0]!);
    if (seen !== (failed ? old : wanted) && seen !== wanted) during.torn.push(`kill ${kill}: ${seen}`);
    await node.start();
    await untilGreen(engine);
    if (failed && (await ended(publishing(second, backend))) !== 0)
      during.torn.push(`kill ${kill}: not written`);
    const after = await visible('killed', backend.split('?')[0]!);
    if (after !== wanted || (await engineCount(engine)) !== counted)
      during.torn.push(`kill ${kill}: ${after}`);
    during[failed ? 'second' : 'first'] += 1;
    say(`${kill} of ${writes} nodes killed while a generation was written`);
  }
  return { writers: report, writes: during };
}

function publishing(dir: string, backend: string) {
  const file = builtFile('bench/backends/publish-process.js');
  return spawn(process.execPath, [file, dir, backend], { stdio: 'ignore' });
}

async function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

/** The first generation is the index again, and of the second nothing is left. */
async function takeBack(first: string, backend: string, engine: RunningEngine): Promise<void> {
  const { index } = await publish(first, backend);
  const names = Object.keys(await asked(engine, '/killed-generation-*'));
  for (const name of names) if (name !== index) await asked(engine, `/${name}`, 'DELETE');
}

/** Documents of the engine's own in the index that the alias points to. */
async function engineCount(engine: RunningEngine): Promise<number> {
  return ((await asked(engine, '/killed/_count')) as { count: number }).count;
}

async function asked(engine: RunningEngine, at: string, method = 'GET'): Promise<object> {
  for (const { url } of engine.nodes) {
    const reply = await fetch(`${url}${at}`, { method }).catch(() => null);
    if (reply?.ok) return (await reply.json()) as object;
  }
  throw new PragauraError('BACKEND_UNAVAILABLE', `No node answers ${method} ${at}.`, {
    hint: 'See the logs of the nodes.',
  });
}

async function decisionsOf(
  router: Router,
  questions: readonly Asked[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const decisions = new Map<string, string>();
  for (const question of questions) {
    const decision = await router.route(question, signal && { signal });
    decisions.set(question.id, withoutClocks(JSON.stringify(decision)));
  }
  return decisions;
}

async function outcomeOf(
  router: Router,
  question: Asked,
  reference: ReadonlyMap<string, string>,
): Promise<'same' | 'unavailable' | { otherwise: string }> {
  try {
    const decision = await router.route(question);
    if (decision.abstention?.reason === 'INDEX_UNAVAILABLE') return 'unavailable';
    if (withoutClocks(JSON.stringify(decision)) === reference.get(question.id)) return 'same';
    const reason = decision.abstention?.reason ?? decision.clarification?.reason ?? '';
    return { otherwise: `${question.query}: ${decision.action} ${reason}` };
  } catch (error) {
    return { otherwise: `${question.query}: ${messageOf(error)}` };
  }
}

function count(decided: Decided, outcome: Awaited<ReturnType<typeof outcomeOf>>): void {
  if (typeof outcome === 'string') decided[outcome] += 1;
  else decided.otherwise.push(outcome.otherwise);
}

/** Passages of the folder that the engine does not hold as they are there. */
async function lostOf(dir: string, backend: string): Promise<number> {
  const { passages } = await openIndex(dir);
  const index = await openBackend(dir, { backend });
  try {
    let lost = 0;
    for (const [ordinal, passage] of passages.entries()) {
      const [found] = await index.passages([ordinal]).catch(() => []);
      if (JSON.stringify(found?.passage) !== JSON.stringify(passage)) lost += 1;
    }
    return lost;
  } finally {
    await index.close();
  }
}

/** Every shard has all of its copies, and every node is there. */
async function untilGreen(engine: RunningEngine): Promise<void> {
  const at = `/_cluster/health?wait_for_status=green&wait_for_nodes=${NODES}&timeout=5s`;
  for (;;) {
    const health = (await asked(engine, at).catch(() => null)) as { timed_out?: boolean } | null;
    if (health?.timed_out === false) return;
    await sleep(250);
  }
}

/** Nothing was lost, torn or decided as if documents did not have it. */
export function isWhole({ load, alone, writers, writes }: FailoverReport): boolean {
  const decided = [load?.decided, alone?.gone, alone?.back].flatMap((one) => one?.otherwise ?? []);
  const lost = (load?.lost ?? 0) + (alone?.back.unavailable ?? 0);
  return decided.length + lost + writers.torn.length + writes.torn.length === 0 && writers.sameInTheEnd;
}

export function renderFailover(report: FailoverReport, layout: Layout = table): string {
  const { load, alone, writers, writes, documents, passages, nodes } = report;
  return [
    `${nodes} nodes of OpenSearch on one machine, ${documents} documents in ${passages} passages`,
    ...(load === null || alone === null ? [] : [decidedText(load, alone, layout)]),
    ...(writers.kills === 0
      ? []
      : [
          `whoever writes a generation, killed ${writers.kills} times: the one before was the index ${writers.before} times, the new one ${writers.after} times, anything else ${writers.torn.length} times (at most ${(100 * upperShare(writers.torn.length, writers.kills)).toFixed(1)} %, 95 %, one-sided); written in the end: ${writers.sameInTheEnd ? 'the same ids and counts as without' : 'something else'}`,
        ]),
    ...(writes.kills === 0
      ? []
      : [
          `a node killed ${writes.kills} times while a generation was written: written all the same ${writes.first} times, by a second run ${writes.second} times, anything else ${writes.torn.length} times`,
        ]),
    ...[...writers.torn, ...writes.torn].slice(0, 20),
  ].join('\n\n');
}

function decidedText(
  { kills, decided, calm, disturbed, lost }: NonNullable<FailoverReport['load']>,
  alone: NonNullable<FailoverReport['alone']>,
  layout: Layout,
): string {
  const allOf = ({ same, unavailable, otherwise }: Decided) => same + unavailable + otherwise.length;
  const row = (name: string, one: Decided) => [
    name,
    ...[allOf(one), one.same, one.unavailable, one.otherwise.length].map(String),
  ];
  const all = allOf(decided);
  const times: [string, LatencySummary][] = [
    ['with all nodes', calm],
    ['with one gone or coming back', disturbed],
  ];
  return [
    'every decision is held against the one of a time when nothing was wrong:',
    layout(
      ['', 'decisions', 'the same', 'INDEX_UNAVAILABLE', 'anything else'],
      [
        row(`a copy of each shard, a node killed and started ${kills} times under load`, decided),
        row('no copies, a node gone', alone.gone),
        row('no copies, the node back', alone.back),
      ],
    ),
    `failures taken for absence: ${decided.otherwise.length} of ${all} (at most ${(100 * upperShare(decided.otherwise.length, all)).toFixed(3)} %, 95 %, one-sided); passages lost: ${lost}`,
    layout(
      ['a query takes, without models', 'queries', 'p50 ms', 'p95 ms', 'longest ms'],
      times.map(([name, { n, p50, p95, max }]) => [name, String(n), ms(p50), ms(p95), ms(max)]),
    ),
    ...[...decided.otherwise, ...alone.gone.otherwise].slice(0, 20),
  ].join('\n\n');
}
