import { randomInteger, seededRandom } from '../../common/index.ts';
import type { Job, QueryPassage, Scorers } from '../../scorers/index.ts';
import type { Dataset } from '../datasets/types.ts';

export const SCORING_JOBS = ['embed', 'rerank', 'read', 'nli'] as const satisfies readonly Job[];

/** One thing to score: `first` alone for `embed`, both for the others. */
export interface Item {
  first: string;
  second: string;
}

/** Texts by length in word pieces, special tokens included: more than the one before, at most `most`. */
export const BUCKETS = [
  { name: '<= 48', most: 48, unit: 'sentence' },
  { name: '49-96', most: 96, unit: 'three sentences' },
  { name: '97-192', most: 192, unit: 'paragraph' },
  { name: '193-320', most: 320, unit: 'two paragraphs' },
  { name: '> 320', most: Number.POSITIVE_INFINITY, unit: 'four paragraphs' },
] as const;

export type Calls = Pick<Scorers, Job>;

/** Scores all items in one call. */
export function scored(calls: Calls, job: Job, items: readonly Item[]): Promise<readonly unknown[]> {
  const asked = (): QueryPassage[] => items.map(({ first, second }) => ({ query: first, passage: second }));
  switch (job) {
    case 'embed':
      return calls.embed(items.map(({ second }) => second));
    case 'rerank':
      return calls.rerank(asked());
    case 'read':
      return calls.read(asked());
    case 'nli':
      return calls.nli(items.map(({ first, second }) => ({ premise: second, hypothesis: first })));
  }
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

function sentencesOf(text: string): string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment.trim()).filter((text) => text !== '');
}

/** Each kind of text out of a list of paragraphs, starting at `place`. */
function textOf(
  paragraphs: readonly string[],
  place: number,
  unit: (typeof BUCKETS)[number]['unit'],
): string {
  const from = (count: number) => paragraphs.slice(place, place + count).join('\n');
  const sentences = sentencesOf(paragraphs[place]!);
  const at = place % sentences.length;
  switch (unit) {
    case 'sentence':
      return sentences[at]!;
    case 'three sentences':
      return sentences.slice(at, at + 3).join(' ');
    case 'paragraph':
      return from(1);
    case 'two paragraphs':
      return from(2);
    case 'four paragraphs':
      return from(4);
  }
}

/**
 * Up to `count` different items of each bucket for a job, drawn from a data set by `seed`: a question with a text of
 * the set; for `nli` a sentence from elsewhere in place of the question. Buckets that the texts do not fill are left out.
 */
export function workloadFor(
  job: Job,
  { documents, queries }: Pick<Dataset, 'documents' | 'queries'>,
  count: number,
  tokensOf: (text: string) => number,
  seed = 1,
): { bucket: string; items: Item[] }[] {
  const random = seededRandom(seed);
  const paragraphs = documents.map(({ text }) => text).filter((text) => sentencesOf(text).length > 0);
  return BUCKETS.map(({ name, most, unit }, b) => {
    const least = b === 0 ? 0 : BUCKETS[b - 1]!.most;
    const items = new Map<string, Item>();
    for (let tries = 0; tries < 40 * count && items.size < count; tries += 1) {
      const second = textOf(paragraphs, randomInteger(random, paragraphs.length), unit);
      const other = paragraphs[randomInteger(random, paragraphs.length)]!;
      const first =
        job === 'nli' ? sentencesOf(other)[0]! : queries[randomInteger(random, queries.length)]!.query;
      const tokens = tokensOf(second) + (job === 'embed' ? 2 : tokensOf(first) + 3);
      if (tokens > least && tokens <= most)
        items.set(job === 'embed' ? second : `${first}\n${second}`, { first, second });
    }
    return { bucket: name, items: [...items.values()] };
  }).filter(({ items }) => items.length >= Math.min(count, 8));
}
