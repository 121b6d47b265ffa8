import { concurrently, type Example, loadLabelled, quantile } from '../../calibration/index.ts';
import { canonicalHash, PragauraError } from '../../common/index.ts';
import { type Decision, openRouter, type Router } from '../../router/index.ts';
import {
  type ModelChoice,
  modelNames,
  openScorers,
  PROVIDER_PARITY,
  type Provider,
  type Scorers,
} from '../../scorers/index.ts';
import { keepFigures } from '../figures/figures-file.ts';
import { machineLine, residentMiB } from '../measure/machine.ts';
import { Progress } from '../measure/progress.ts';
import { ms, table } from '../measure/table.ts';
import { cardMemory } from './card-memory.ts';
import { type Differences, differencesOf, type Tolerances } from './differences.ts';
import { type Recorded, recording } from './recording.ts';

export interface ProvidersOptions {
  index: string;
  /** Queries as for `calibrate`; labels are not looked at. */
  queries: string;
  provider: Provider;
  models: ModelChoice;
  threads: number | undefined;
  /** The first so many queries. */
  n: number;
  /** Queries that are in flight together when throughput is measured, as in a worker of the queue. */
  concurrency: number;
  /** Pairs that a query may have read, where the budget's are too many for a slow device. */
  budget: { rerankPairs: number; nliPairs: number } | undefined;
  /** Default: `PROVIDER_PARITY` of the scorers. */
  tolerances?: { [K in keyof Tolerances]?: number | undefined };
  /** File that the figures are kept in. */
  figures?: string | undefined;
}

export interface ProvidersReport {
  schema: 'pragaura.bench-providers/1';
  machine: string;
  provider: Provider;
  threads: Record<'cpu' | 'provider', number>;
  differences: Differences;
  decisions: {
    n: number;
    /** Another action; the same action with another answer. */
    flips: { id: string; cpu: Decision['action']; provider: Decision['action'] }[];
    otherAnswers: string[];
    largestU: number | null;
  };
  /** Milliseconds of a query, one at a time. */
  ms: Record<'cpu' | 'provider', { median: number; max: number }>;
  /** `concurrency` queries in flight, one side after the other. */
  together: Record<'cpu' | 'provider', Throughput> & { concurrency: number };
  /**
   * MiB of this process that each side's models and first query took, the CPU's first; and of the card, null where
   * nvidia-smi does not say.
   */
  memory: { cpu: number; provider: number; card: number | null };
}

interface Throughput {
  queriesPerSecond: number;
  /** Pairs of query and passage a second, all jobs of the cross-encoder. */
  pairsPerSecond: number;
}

type Query = Pick<Example, 'id' | 'query'>;

interface Side {
  router: Router;
  recorded: Recorded;
  pairs: () => number;
  pool: Scorers;
  times: number[];
  /** What the process grew by until the first query was decided on, MiB. */
  grown: number;
}

/**
 * The same queries on the CPU and on another provider, in turns. Exit code 1 where an action flips or a number is
 * further off than its tolerance. Throws SCORING_FAILED where the provider does not run here, and WRITE_FAILED.
 */
export async function benchProviders(
  options: ProvidersOptions,
  say: (line: string) => void,
): Promise<{ text: string; report: ProvidersReport; exitCode: number }> {
  const queries = (await loadLabelled(options.queries)).slice(0, options.n);
  const [first] = queries;
  const cpu = await openSide('cpu', options, first, say);
  try {
    const other = await openSide(options.provider, options, first, say);
    try {
      const decisions: { id: string; cpu: Decision; provider: Decision }[] = [];
      const progress = new Progress('queries on both', queries.length, say);
      for (const { id, query } of queries) {
        decisions.push({ id, cpu: await routed(cpu, id, query), provider: await routed(other, id, query) });
        progress.step();
      }
      const report: ProvidersReport = {
        schema: 'pragaura.bench-providers/1',
        machine: machineLine(),
        provider: options.provider,
        threads: { cpu: cpu.pool.info.threads, provider: other.pool.info.threads },
        differences: differencesOf(cpu.recorded, other.recorded, {
          logit: options.tolerances?.logit ?? PROVIDER_PARITY.logit,
          probability: options.tolerances?.probability ?? PROVIDER_PARITY.probability,
          cosine: options.tolerances?.cosine ?? PROVIDER_PARITY.cosine,
        }),
        decisions: compared(decisions),
        ms: { cpu: timesOf(cpu), provider: timesOf(other) },
        together: {
          concurrency: options.concurrency,
          cpu: await throughput(cpu, queries, options.concurrency),
          provider: await throughput(other, queries, options.concurrency),
        },
        memory: { cpu: cpu.grown, provider: other.grown, card: await cardMemory() },
      };
      if (options.figures !== undefined) {
        const data = { queries: canonicalHash(queries.map(({ id, query }) => ({ id, query }))) };
        await keepFigures(options.figures, { models: modelNames(other.pool.info.models), data, report });
      }
      const holds =
        report.decisions.flips.length === 0 &&
        report.differences.rows.every(({ max, tolerance }) => max <= tolerance);
      return { text: renderProviders(report), report, exitCode: holds ? 0 : 1 };
    } finally {
      await other.pool.close();
    }
  } finally {
    await cpu.pool.close();
  }
}

async function openSide(
  provider: Provider,
  { index, models, threads, budget }: ProvidersOptions,
  first: Query | undefined,
  say: (line: string) => void,
): Promise<Side> {
  const before = residentMiB();
  let reason = '';
  const pool = await openScorers({
    provider,
    ...models,
    ...(threads === undefined || provider !== 'cpu' ? {} : { threads }),
    announce: (line) => {
      reason = line;
      say(line);
    },
  });
  try {
    if (pool.info.provider !== provider) {
      throw new PragauraError('SCORING_FAILED', `there is nothing to compare: ${reason}`, {
        hint: '"npm run webgpu" says what a WebGPU without a graphics card needs',
      });
    }
    const { scorers, recorded, pairs } = recording(pool);
    const router = await openRouter({ index, scorers, ...(budget === undefined ? {} : { budget }) });
    // Compiles kernels and takes what buffers it needs, so that neither counts as the time of a query.
    if (first !== undefined) await router.route({ id: first.id, query: first.query });
    return { router, recorded, pairs, pool, times: [], grown: residentMiB() - before };
  } catch (error) {
    await pool.close();
    throw error;
  }
}

async function routed({ router, times }: Side, id: string, query: string): Promise<Decision> {
  const start = performance.now();
  const decision = await router.route({ id, query });
  times.push(performance.now() - start);
  return decision;
}

/** All queries once more, so many at a time. */
async function throughput(
  { router, pairs }: Side,
  queries: readonly Query[],
  concurrency: number,
): Promise<Throughput> {
  const [scored, start] = [pairs(), performance.now()];
  await concurrently(queries, concurrency, async ({ id, query }) => {
    await router.route({ id, query });
  });
  const seconds = (performance.now() - start) / 1_000;
  return { queriesPerSecond: queries.length / seconds, pairsPerSecond: (pairs() - scored) / seconds };
}

function compared(
  decisions: readonly { id: string; cpu: Decision; provider: Decision }[],
): ProvidersReport['decisions'] {
  const changes = decisions.flatMap(({ cpu, provider }) =>
    cpu.U === null || provider.U === null ? [] : [Math.abs(cpu.U - provider.U)],
  );
  return {
    n: decisions.length,
    flips: decisions
      .filter(({ cpu, provider }) => cpu.action !== provider.action)
      .map(({ id, cpu, provider }) => ({ id, cpu: cpu.action, provider: provider.action })),
    otherAnswers: decisions
      .filter(
        ({ cpu, provider }) => cpu.action === provider.action && cpu.answer?.text !== provider.answer?.text,
      )
      .map(({ id }) => id),
    largestU: changes.length === 0 ? null : Math.max(...changes),
  };
}

function timesOf({ times }: Side): { median: number; max: number } {
  const sorted = [...times].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), max: sorted.at(-1)! };
}

const rate = (value: number): string => (value < 10 ? value.toPrecision(2) : value.toFixed(0));

const rates = ({ queriesPerSecond, pairsPerSecond }: Throughput): string =>
  `${rate(queriesPerSecond)} queries and ${rate(pairsPerSecond)} pairs a second`;

const small = (value: number): string => (value === 0 ? '0' : value.toExponential(1));

export function renderProviders(report: ProvidersReport): string {
  const { provider, differences, decisions, threads, together, memory } = report;
  const rows = differences.rows.map(({ what, n, median, p99, max, tolerance }) => [
    what,
    String(n),
    small(median),
    small(p99),
    small(max),
    String(tolerance),
    max <= tolerance ? 'OK' : 'FAIL',
  ]);
  const { otherSpans } = differences;
  const flips = decisions.flips.map(({ id, cpu, provider: other }) => `${id} (${cpu} to ${other})`);
  return [
    `The same ${decisions.n} queries on the CPU (${threads.cpu} threads) and on ${provider} (${threads.provider}).`,
    'Differences of what both scored:',
    '',
    table(['', 'n', 'median', '99 %', 'largest', 'tolerance', ''], rows),
    '',
    `Another best span: ${otherSpans.different} of ${otherSpans.n} readings.`,
    `Another action: ${flips.length} of ${decisions.n}${flips.length === 0 ? '' : `: ${flips.join(', ')}`}.`,
    `The same action with another answer: ${decisions.otherAnswers.length}${decisions.otherAnswers.length === 0 ? '' : `: ${decisions.otherAnswers.join(', ')}`}.`,
    `Largest difference of U: ${decisions.largestU === null ? '–' : small(decisions.largestU)}.`,
    `A query, one at a time, ms: CPU ${ms(report.ms.cpu.median)} (at most ${ms(report.ms.cpu.max)}), ` +
      `${provider} ${ms(report.ms.provider.median)} (at most ${ms(report.ms.provider.max)}).`,
    `${together.concurrency} at a time, as in a worker: CPU ${rates(together.cpu)}; ${provider} ${rates(together.provider)}.`,
    `Memory of this process: ${memory.cpu.toFixed(0)} MiB for the CPU, ${memory.provider.toFixed(0)} more for ${provider}; ` +
      `of the card: ${memory.card === null ? 'not known' : `${memory.card} MiB`}.`,
    report.machine,
  ].join('\n');
}
