/** A question in two hops, one asked after the other out of one budget. */
import { supportOf } from '../../../calibration/index.ts';
import type { Explanation } from '../../../router/index.ts';
import { spentOf } from '../../parity/certificate.ts';
import { added } from './reading.ts';
import type { Asked, Attempt, Tools } from './types.ts';

/**
 * The question is asked with half of the budget; then once more, with the other half, together with what the first hop came
 * upon and the question does not name: the title of its best document, or its answer. Of both hops the surer answer counts.
 * A question without a hop in it is asked twice and loses half of its budget: whoever decomposes cannot know before.
 */
export async function twoHops({ id, query }: Asked, { half }: Tools): Promise<Attempt> {
  const first = await half.explain({ id, query });
  const bridge = bridgeOf(query, first);
  const second = bridge === null ? null : await half.explain({ id, query: `${query} ${bridge}` });
  const hops = second === null ? [first] : [first, second];
  const best = hops.reduce((a, b) => (sureness(b) > sureness(a) ? b : a));
  const { candidate, features } = best;
  return {
    text: candidate?.text ?? null,
    uncertainty: { reader: features.answerScore === null ? null : 1 - features.answerScore },
    support: candidate === null ? null : supportOf(candidate.claim, candidate.passage),
    docs: inTurn(hops.map(({ ranking }) => ranking.map(({ docId }) => docId))),
    spent: hops.map(({ decision }) => spentOf(decision.receipt, undefined)).reduce(added),
  };
}

function sureness({ candidate, features }: Explanation): number {
  return candidate === null ? -1 : (features.answerScore ?? 0);
}

/** What a first hop found that the question does not name. */
export function bridgeOf(
  query: string,
  { ranking, candidate, decision }: Pick<Explanation, 'ranking' | 'candidate' | 'decision'>,
): string | null {
  const asked = query.toLowerCase();
  const titles = ranking.map(
    ({ passageId }) => decision.evidence.find((each) => each.passageId === passageId)?.title ?? '',
  );
  const named = [...titles.slice(0, 2).map((title) => title.split(' > ')[0]!), candidate?.text ?? ''];
  return named.find((name) => name !== '' && !asked.includes(name.toLowerCase())) ?? null;
}

/** The first of each list, then the second, each document once. */
function inTurn(lists: readonly (readonly string[])[]): string[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const all = Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list[place] ?? []));
  return [...new Set(all.flat())];
}
