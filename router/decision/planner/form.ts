import { isYesNoQuestion } from '../../../scorers/index.ts';
import type { FEATURE_GROUPS, PlannerFeatures } from './names.ts';

const READ = 400;
/** "Can I …", "Do I have to …", "Am I entitled …", "Will my …": what the asker may, must or gets. */
const OWN_RIGHT =
  /^\W*(?:(?:and|but|so|then|also|ok|okay)\W+)?(?:can|could|may|must|should|shall|will|would|do|does|did|am|is|are|have|has)\s+(?:i|we|my|our|this|the)\b/i;

/** How the question is put. */
export function formOf(
  query: string,
  ownCase: boolean,
): Pick<PlannerFeatures, (typeof FEATURE_GROUPS)['form'][number]> {
  const words = (query
    .slice(0, READ)
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}'’]+/gu) ?? []) as string[];
  const asks = (word: string): number => Number(words.includes(word));
  const many = words.some((word, i) => (word === 'many' || word === 'much') && words[i - 1] === 'how');
  return {
    yesNo: Number(isYesNoQuestion(query)),
    what: asks('what'),
    who: Number(words.some((word) => word === 'who' || word === 'whom' || word === 'whose')),
    when: asks('when'),
    where: asks('where'),
    why: asks('why'),
    how: asks('how'),
    howMany: Number(many),
    which: asks('which'),
    ownCase: Number(ownCase),
    ownRight: Number(ownCase && OWN_RIGHT.test(query.slice(0, READ))),
    offersChoice: asks('or'),
  };
}
