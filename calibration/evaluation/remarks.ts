import { isRestricted, saysWhatIsShown } from '../labels/examples.ts';
import { type Graded, unanswered } from './graded.ts';
import type { Evaluation } from './types.ts';

/** What a reader of the figures must know before he trusts them, one sentence each. */
export function remarksOn(
  { examples, groups, documents, errors, unlabelled, withoutCandidate }: Evaluation['counts'],
  items: readonly Graded[],
  status: Evaluation['thresholds']['status'],
): string[] {
  const remarks: string[] = [];
  const of = (count: number) => `${count} of ${examples}`;
  if (status === 'NOT_CALIBRATED')
    remarks.push('No calibration was given: the provisional rule decided, and nothing is promised.');
  else {
    const restricted = items.filter(({ observation }) => isRestricted(observation.example)).length;
    if (restricted > 0)
      remarks.push(
        `${of(restricted)} have a history or filters: nothing is promised for them, and promises are checked without them.`,
      );
  }
  const tied = documents < groups ? ' that share no document or question' : '';
  if (documents === 1) remarks.push(`There are no two groups${tied}: no interval by group can be given.`);
  else if (documents < 20)
    remarks.push(`Only ${documents} groups${tied}: the bootstrap intervals are rough, rather too narrow.`);
  if (errors > 0)
    remarks.push(
      `${of(errors)} could not be decided. They are not answered, and neither right nor wrong; low and high in metrics.json say what they could change.`,
    );
  if (unlabelled > 0)
    remarks.push(
      `${of(unlabelled)} have no label that says whether their answer is right; they count for coverage only.`,
    );
  if (withoutCandidate > 0)
    remarks.push(`${of(withoutCandidate)} have no candidate: EM and F1 0, ranked last.`);
  const byShown = items.filter(({ observation }) => saysWhatIsShown(observation.example)).length;
  if (byShown > 0)
    remarks.push(
      `${of(byShown)} are labelled with patterns, steps or a verdict: their EM and F1 are 1 or 0, by what would be shown.`,
    );
  const untold = items.filter((item) => unanswered(item) && item.observation.asks == null).length;
  if (untold > 0)
    remarks.push(
      `Of ${untold} not answered it was not measured whether they would be asked back; they count as such only where a band for asking was calibrated.`,
    );
  return remarks;
}
