import { loadLabelled, quantile } from '../../calibration/index.ts';
import { PragauraError } from '../../common/index.ts';
import { type Decision, openRouter, type Router } from '../../router/index.ts';
import {
  type ModelChoice,
  openScorers,
  PROVIDER_PARITY,
  type Provider,
  type Scorers,
} from '../../scorers/index.ts';
import { machineLine } from '../measure/machine.ts';
import { Progress } from '../measure/progress.ts';
import { ms, table } from '../measure/table.ts';
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
  /** Pairs that a query may have read, where the budget's are too many for a slow device. */
  budget: { rerankPairs: number; nliPairs: number } | undefined;
  /** Default: `PROVIDER_PARITY` of the scorers. */
  tolerances?: { [K in keyof Tolerances]?: number | undefined };
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
}

interface Side {
  router: Router;
  recorded: Recorded;
  pool: Scorers;
  times: number[];
}

/**
 * The same queries on the CPU and on another provider, in turns. Exit code 1 where an action flips or a number is
 * further off than its tolerance. Throws SCORING_FAILED where the provider does not run here.
 */
export async function benchProviders(
  options: ProvidersOptions,
  say: (line: string) => void,
): Promise<{ text: string; report: ProvidersReport; exitCode: number }> {
  const queries = (await loadLabelled(options.queries)).slice(0, options.n);
  const cpu = await openSide('cpu', options, say);
  try {
    const other = await openSide(options.provider, options, say);
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
      };
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
  say: (line: string) => void,
): Promise<Side> {
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
    const { scorers, recorded } = recording(pool);
    const router = await openRouter({ index, scorers, ...(budget === undefined ? {} : { budget }) });
    return { router, recorded, pool, times: [] };
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

const small = (value: number): string => (value === 0 ? '0' : value.toExponential(1));

function renderProviders(report: ProvidersReport): string {
  const { provider, differences, decisions, threads } = report;
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
    report.machine,
  ].join('\n');
}
