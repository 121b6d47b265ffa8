import type { Plan } from './plan.ts';
import type { WatchRecord } from './records.ts';

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** What an alarm says, in words; null: the evidence of all watches together. */
export function alarmSentence(watch: WatchRecord | null): string {
  if (watch === null) {
    return 'The stream has drifted: no single figure shows it, the evidence of all of them together does.';
  }
  const { figure, act, direction, against, reference, bound, mean, recent, n } = watch;
  const who = act === null ? 'all acts' : `the act ${act}`;
  const what = figure === 'coverage' ? 'Coverage (share answered)' : 'Risk (share of answers that are wrong)';
  const was =
    against === 'promised'
      ? `is above what the calibration promises (${percent(bound)} with what the test split leaves open)`
      : `has ${direction === 'up' ? 'risen above' : 'fallen below'} what it was on the test split ` +
        `(${reference.k} of ${reference.n}, ${percent(reference.k / reference.n)}; no drift as far as ${percent(bound)})`;
  return `${what} of ${who} ${was}: ${percent(mean!)} of ${n} in all, ${percent(recent!)} lately.`;
}

/** What is promised about false alarms, in words. */
export function guaranteeSentence({ watches, threshold }: Plan, alpha: string): string {
  if (watches.length === 0) return 'Nothing is watched: the test split of the calibration is too small.';
  return (
    `If queries come independently of each other, in the test split and since (not many on one document), and come as ` +
    `they did there, the probability that there is ever any alarm is at most ${alpha}: half for the uncertainty of ` +
    `the test split's own figures, half for the stream, each shared evenly by ` +
    `${watches.length} ${watches.length === 1 ? 'watch' : 'watches'} (evidence of ${threshold.toPrecision(4)} each).`
  );
}
