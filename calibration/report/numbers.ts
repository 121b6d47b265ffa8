import type { Estimate, Proportion } from '../evaluation/types.ts';
import type { DocumentMean } from '../metrics/by-document.ts';

/** Three digits, an en dash where there is no figure. */
export function digits(value: number | null): string {
  return value === null ? '–' : value.toFixed(3);
}

/** `0.812 [0.790, 0.833]`, with how many could not be scored. */
export function withInterval({
  value,
  interval,
  unscored,
}: Pick<Estimate, 'value' | 'interval' | 'unscored'>): string {
  if (value === null) return '–';
  const range = interval === null ? '' : ` [${digits(interval.low)}, ${digits(interval.high)}]`;
  return `${digits(value)}${range}${unscored === 0 ? '' : ` (${unscored} unscored)`}`;
}

/** `12 of 40: 0.300 [0.166, 0.465]`. */
export function withCounts({ k, of, value, exact }: Proportion): string {
  if (value === null) return `${k} of ${of}`;
  return `${k} of ${of}: ${digits(value)}${exact === null ? '' : ` [${digits(exact.low)}, ${digits(exact.high)}]`}`;
}

/** `11 documents: 0.812 [0.610, 0.933]`. */
export function overDocuments({ documents, value, low, high }: DocumentMean): string {
  if (value === null) return `${documents} documents`;
  return `${documents} documents: ${digits(value)} [${digits(low)}, ${digits(high)}]`;
}

export const VERDICTS = {
  kept: 'kept',
  'within-noise': 'missed, within noise',
  broken: 'BROKEN',
  'nothing-to-check': 'nothing to check',
} as const;
