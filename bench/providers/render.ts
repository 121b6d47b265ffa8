import { ms, table } from '../measure/table.ts';
import type { ProvidersReport } from './run.ts';

const small = (value: number): string => (value === 0 ? '0' : value.toExponential(1));

export function renderProviders(report: ProvidersReport): string {
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
