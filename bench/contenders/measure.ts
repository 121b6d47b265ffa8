/** Every question through every other way of answering, kept as it comes. */
import { codeHash, concurrently, type Example } from '../../calibration/index.ts';
import type { Generator } from '../../generation/index.ts';
import { type Budget, COUNTED_UNITS } from '../../profiles/index.ts';
import { openRouter, type Policy, type Router, type RouterOptions } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { Progress } from '../measure/progress.ts';
import { ResultsFile } from '../measure/results-file.ts';
import { Memo } from '../parity/memo.ts';
import { type Asked, type Attempt, PIPELINES, type Tools } from './pipelines/index.ts';
import { type RetrievalScores, retrievalScores } from './retrieval.ts';

export interface AttemptOptions {
  set: string;
  index: string;
  examples: readonly Example[];
  budget: Budget;
  generator: Generator | undefined;
  /** Folder of results; what is there is not measured again. */
  out: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** What is kept of one question. */
export interface Attempted {
  id: string;
  /** By policy. */
  retrieval: Record<Policy, RetrievalScores>;
  attempts: Record<string, Attempt>;
}

const IN_FLIGHT = 8;

/** The ways of answering that can be tried. */
export function pipelinesWith(generator: Generator | undefined): string[] {
  return Object.entries(PIPELINES).flatMap(([name, pipeline]) =>
    pipeline.generator && generator === undefined ? [] : [name],
  );
}

/**
 * One for each example, in their order. Scores that ways of answering have in common are computed once for each question, and
 * every way pays for all of its own. Throws what the routers and the language model throw: a figure is of all questions.
 */
export async function measureAttempts(options: AttemptOptions, scorers: Scorers): Promise<Attempted[]> {
  const { set, examples, generator, out, say, signal } = options;
  const names = pipelinesWith(generator);
  const memo = new Memo(scorers);
  const tools = await openTools(options, memo.scorers);
  const byAct = await openArm(options, memo.scorers, { policy: 'act' });
  let file: ResultsFile<Attempted> | undefined;
  try {
    const { whole, half } = tools;
    const depends = { whole: whole.validFor, half: half.validFor, code: await measuringCode(), names };
    const kept = await ResultsFile.open<Attempted>(out, `contenders-${set}`, {
      ...depends,
      generator: generator?.model,
    });
    file = kept;
    const progress = new Progress(`${set}, ${names.length} ways of answering`, examples.length, say);
    await concurrently(examples, IN_FLIGHT, async ({ id, query }) => {
      signal.throwIfAborted();
      const known = kept.get(id) !== undefined;
      if (!known) {
        await memo.question(async () => {
          const attempts: Record<string, Attempt> = {};
          const asked = await askedOf({ id, query }, whole);
          for (const name of names) attempts[name] = await PIPELINES[name]!.run(asked, tools);
          const retrieval = {
            uniform: await retrievalScores(whole, query),
            act: await retrievalScores(byAct, query),
          };
          await kept.add({ id, retrieval, attempts });
        });
      }
      progress.step(known);
    });
    return examples.map(({ id }) => kept.get(id)!);
  } finally {
    await Promise.all([tools.whole.close(), tools.half.close(), byAct.close(), file?.close()]);
  }
}

/**
 * Milliseconds of processor time by way of answering and question, one at a time and with no score from memory. Not of those
 * that ask a language model, whose answers may be kept.
 */
export async function timeAttempts(
  options: AttemptOptions,
  scorers: Scorers,
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const names = pipelinesWith(undefined);
  const tools = await openTools(options, scorers);
  const times = new Map(names.map((name) => [name, new Map<string, number>()]));
  try {
    for (const { id, query } of options.examples) {
      options.signal.throwIfAborted();
      const asked = await askedOf({ id, query }, tools.whole);
      for (const name of names) {
        const before = process.cpuUsage();
        await PIPELINES[name]!.run(asked, tools);
        const { user, system } = process.cpuUsage(before);
        times.get(name)!.set(id, (user + system) / 1_000);
      }
    }
    return times;
  } finally {
    await Promise.all([tools.whole.close(), tools.half.close()]);
  }
}

async function askedOf(query: Pick<Asked, 'id' | 'query'>, whole: Router): Promise<Asked> {
  const { receipt } = await whole.route(query);
  return { ...query, tokens: receipt.spent.contextTokens };
}

async function openTools(options: AttemptOptions, scorers: Scorers): Promise<Tools> {
  const { budget, generator } = options;
  return {
    whole: await openArm(options, scorers, { policy: 'uniform' }),
    half: await openArm(options, scorers, { policy: 'uniform', budget: halfOf(budget) }),
    budget,
    scorers,
    generator,
  };
}

function openArm(
  { index, say }: AttemptOptions,
  scorers: Scorers,
  arm: Pick<RouterOptions, 'policy' | 'budget'>,
): Promise<Router> {
  return openRouter({ rule: 'provisional', index, scorers, announce: say, ...arm });
}

function halfOf(budget: Budget): Partial<Budget> {
  return Object.fromEntries(COUNTED_UNITS.map((unit) => [unit, Math.floor(budget[unit] / 2)]));
}

function measuringCode(): Promise<string> {
  const rooms = [
    'common',
    'corpus',
    'conversation',
    'router',
    'profiles',
    'scorers',
    'bench/contenders/pipelines',
  ];
  return codeHash(undefined, undefined, rooms);
}
