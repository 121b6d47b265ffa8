/** Passages of a change log: what was new once, which holds many words of the present manual and rarely answers about it. */
import { type Passage, withoutNumber } from '../../corpus/index.ts';

/**
 * What a passage of a change log loses of its fused score, about three logits of its rank. Set by hand after seven wrong
 * answers of 67 about a backup program; no public set at hand has change logs.
 */
export const PAST = 0.35;

const FILE =
  /(?:^|\/)(?:change-?log|changes|release-?notes|releases|whats-?new)(?:[-_.]?v?\d[\w.]*?)?(?:\.[a-z]{2,8}){0,2}$|(?:^|\/)(?:change-?logs?|changes|release-?notes|whats-?new)\/[^/]+$/i;
/** Written small these are documents of their own: the news of a company, the history of a town. */
const SHOUTED = /(?:^|\/)(?:NEWS|HISTORY)(?:[-_.]\d[\w.]*?)?(?:\.[A-Za-z]{2,8}){0,2}$/;
const HEADING =
  /^(?:change\s?logs?|(?:(?:older|previous|past) )?(?:release|version|revision) (?:notes|history)(?: (?:for|of|to) .*)?|release v?\d+(?:\.\d+)+|what(?:['’]?s| is) new(?: (?:in|since)\b.*|\s*\??)|changes (?:in|since|between) (?:\S+ )?v?\d+\.\d.*)$/i;
/** What is asked about changes is to be found in them. A question that only sounds so is answered from all alike. */
const ASKED =
  /\b(?:changed|change\s?log|changes|releases?|released|what(?:['’]?s| is) new|new in|newest|latest|since|added|fixed|breaking|no longer|still|introduced|deprecated|removed|renamed|dropped|upgrad\w+|migrat\w+|history)\b|\bv?\d+\.\d+/i;

export function isOfChangeLog({ docId, title }: Pick<Passage, 'docId' | 'title'>): boolean {
  return (
    FILE.test(docId) ||
    SHOUTED.test(docId) ||
    title.split(' > ').some((heading) => HEADING.test(withoutNumber(heading.trim())))
  );
}

export function asksForChanges(query: string): boolean {
  return ASKED.test(query);
}

/** Which passages tell a query only what once was: those of change logs, and none where it asks for changes. */
export function pastFor(query: string): typeof isOfChangeLog {
  return asksForChanges(query) ? () => false : isOfChangeLog;
}
