/** Which questions of a set are asked, and over which documents: a seeded sample. Pure but for `random`. */
import { type Random, sample, sortedByChance } from '../../common/index.ts';
import type { PoolDocument, PoolQuestion, PoolSet } from './types.ts';

export interface Counts {
  answerable: number;
  unanswerable: number;
  /** Documents at most, those that answer the sample among them. */
  documents: number;
}

export interface Drawn {
  documents: PoolDocument[];
  /** In an order that mixes what is answerable with what is not. `expect` is of these documents. */
  questions: PoolQuestion[];
}

/**
 * A sample of questions that the documents answer and of ones that they do not: those of the set itself, and, where it
 * may be, ones whose homes are left out. No answerable question has a home among what is left out.
 */
export function draw(set: PoolSet, counts: Counts, random: Random): Drawn {
  const asked = set.questions.filter(({ expect }) => expect === 'ANSWER');
  const own = set.questions.filter(({ expect }) => expect !== 'ANSWER');
  const share = set.removes ? Math.ceil(counts.unanswerable / 2) : counts.unanswerable;
  const unanswerable = sample(own, share, random);
  const gone = new Set<string>();
  if (set.removes) {
    for (const question of sortedByChance(asked, random)) {
      if (unanswerable.length >= counts.unanswerable) break;
      const { homes } = question;
      if (homes.length === 0 || homes.some((home) => gone.has(home))) continue;
      for (const home of homes) gone.add(home);
      unanswerable.push({ ...question, expect: 'ABSTAIN' });
    }
  }
  const left = asked.filter(
    ({ id, homes }) => !homes.some((home) => gone.has(home)) && !has(unanswerable, id),
  );
  const answerable = sample(left, counts.answerable, random);
  const questions = sortedByChance([...answerable, ...unanswerable], random);
  return { questions, documents: documentsFor(set, questions, gone, counts.documents, random) };
}

function has(questions: readonly PoolQuestion[], wanted: string): boolean {
  return questions.some(({ id }) => id === wanted);
}

function documentsFor(
  { documents }: PoolSet,
  questions: readonly PoolQuestion[],
  gone: ReadonlySet<string>,
  most: number,
  random: Random,
): PoolDocument[] {
  const needed = new Set(questions.flatMap(({ homes }) => homes));
  const there = documents.filter(({ id }) => !gone.has(id));
  const others = there.filter(({ id }) => !needed.has(id));
  const room = Math.max(0, most - (there.length - others.length));
  const taken = new Set(sample(others, room, random));
  return there.filter((document) => needed.has(document.id) || taken.has(document));
}
