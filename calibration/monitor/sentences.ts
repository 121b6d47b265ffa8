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
        `(${reference.k} of ${reference.n}, ${percent(reference.k / reference.n)}${overDocuments(reference)}; ` +
        `no drift as far as ${percent(bound)})`;
  return `${what} of ${who} ${was}: ${percent(mean!)} of ${n} in all, ${percent(recent!)} lately.`;
}

function overDocuments({ documents }: WatchRecord['reference']): string {
  return documents === null ? '' : `; ${percent(documents.mean)} on average over ${inAll(documents.n)}`;
}

const inAll = (documents: number) => `${documents} ${documents === 1 ? 'document' : 'documents'}`;

/** What is promised about false alarms, in words. */
export function guaranteeSentence({ watches, threshold, documents }: Plan, alpha: string): string {
  if (watches.length === 0) return 'Nothing is watched: the test split of the calibration is too small.';
  const provided =
    documents === null
      ? 'If queries come independently of each other, in the test split and since (not many on one document), and come ' +
        'as they did there'
      : 'If every query is about a document of its own (not many on one document), which is drawn as those of the test ' +
        'split were, each counting alike (of an act those with queries of it, of risk those with answers), and queries ' +
        'come as they did there';
  return (
    `${provided}, the probability that there is ever any alarm is at most ${alpha}: half for the uncertainty of ` +
    `the test split's own figures${documents === null ? '' : ` (${inAll(documents)})`}, half for the stream, each shared evenly by ` +
    `${watches.length} ${watches.length === 1 ? 'watch' : 'watches'} (evidence of ${threshold.toPrecision(4)} each).`
  );
}

/** What whoever starts a monitor should know of its bounds; null where nothing has to be said. */
export function documentsSentence({ watches, documents }: Plan): string | null {
  if (watches.length === 0 || documents === null) return null;
  return (
    `The bounds rest on ${inAll(documents)} of the test split, each counting alike. Decisions name no document: ` +
    'bunches of queries on one look like a drift, and need --slack.'
  );
}
