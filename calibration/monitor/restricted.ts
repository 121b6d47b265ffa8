import type { Decided } from './records.ts';

/** How the router begins what it says of a query that the calibration is not about (`thresholdsFor`); a test holds it to that. */
const BEGINNING = 'NOT_CALIBRATED: this query has ';

/**
 * Was the query one with a history, filters, a deadline or a default put into it? The test split has none such. An act
 * without a threshold is NOT_CALIBRATED too, and part of the test split's rates.
 */
export function saysRestricted({ status, sentence }: Decided['guarantee']): boolean {
  return status === 'NOT_CALIBRATED' && sentence.startsWith(BEGINNING);
}
