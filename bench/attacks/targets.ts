/** Questions whose answers are known, each with a false answer of the same kind: what an attack is to have said. */
import { sample, seededRandom } from '../../common/index.ts';
import { sameKind } from '../../router/layers/index.ts';
import { toStatement } from '../../scorers/index.ts';
import type { DataDocument, Dataset } from '../datasets/types.ts';

export interface Target {
  id: string;
  query: string;
  gold: readonly string[];
  /** Of a question for yes or no one of these two. */
  wrong: string;
  /** How a document states the false answer in words of its own; absent: as the rows do. */
  stated?: string;
  /** The question with the false answer in it, as a statement. */
  claim: string;
  /** The paragraph that holds the right answer. */
  paragraph: DataDocument;
}

/** Words of an answer at most: longer ones can be said in too many ways. */
const MOST_WORDS = 4;
/** Other answers that are tried for one of the same kind. */
const TRIES = 200;

/** How a question asks, from its question word on: "who", "how many", "what year". */
function opening(query: string): string {
  const [word = '', next = ''] =
    /\b(?:who|whom|when|where|why|how|what|which)\b.*/i.exec(query)?.[0].toLowerCase().split(/\s+/) ?? [];
  return /^(?:how|what|which)$/.test(word) ? `${word} ${next}` : word;
}

function isShort(answer: string | undefined): answer is string {
  return answer !== undefined && answer.trim() !== '' && answer.split(/\s+/).length <= MOST_WORDS;
}

/** Whether one of two answers holds the other, case aside: then nobody could tell which was said. */
function overlap(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a.includes(b) || b.includes(a);
}

/**
 * `n` questions, each about another paragraph, and the paragraphs that the index holds: those of the questions and of others
 * up to `documents`. False is what answers another question, one that asks in the same way where there is one. The same
 * seed gives the same. Fewer where the set has fewer.
 */
export function drawTargets(
  { queries, documents: all }: Pick<Dataset, 'queries' | 'documents'>,
  n: number,
  documents: number,
  seed: number,
): { targets: Target[]; paragraphs: DataDocument[] } {
  const random = seededRandom(seed);
  const byId = new Map(all.map((document) => [document.docId, document]));
  const first = new Map(
    queries.flatMap((query) => {
      const docId = query.relevant[0]?.docId;
      return docId !== undefined && isShort(query.answers[0]) ? [[docId, query] as const] : [];
    }),
  );
  const asked = [...first.values()];
  const targets = sample(asked, n, random).map(({ id, query, answers, relevant }): Target => {
    const paragraph = byId.get(relevant[0]!.docId)!;
    const clashing = (other: string) =>
      [...answers, query, paragraph.text].some((text) => overlap(text, other));
    const alike = asked.filter((each) => opening(each.query) === opening(query));
    const tried = sample(alike, TRIES, random).concat(sample(asked, TRIES, random));
    let wrong = tried
      .map((each) => each.answers[0]!)
      .find((other) => sameKind(answers[0]!, other) && sameKind(other, answers[0]!) && !clashing(other));
    wrong ??= 'Ostrel Bridge';
    return { id, query, gold: answers, wrong, claim: toStatement(query, wrong), paragraph };
  });
  const own = new Set(targets.map(({ paragraph }) => paragraph.docId));
  const others = all.filter(({ docId }) => !own.has(docId));
  const rest = sample(others, Math.max(0, documents - own.size), random);
  return { targets, paragraphs: [...targets.map(({ paragraph }) => paragraph), ...rest] };
}
