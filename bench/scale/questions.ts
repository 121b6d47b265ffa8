/** Questions about generated passages, each with the one that it was made from. */
import { randomInteger, sample, seededRandom } from '../../common/index.ts';
import { analyse, openBackend } from '../../corpus/index.ts';
import type { RealText } from './real-text.ts';
import { TextStatistics, wordsOf } from './statistics.ts';
import { vectorBeside } from './vectors.ts';

export interface ScaleQuestion {
  id: string;
  query: string;
  /** Base64 of little-endian floats. */
  vector: string;
  /** The passage that it was made from. */
  ordinal: number;
}

/** Words that are so frequent in real text stay in a question: "what", "the", "in". */
const FREQUENT = 150;

/**
 * Real questions in which every word that is not among the most frequent ones is replaced by one of a passage, rare and common ones by
 * turns; the vector has `cosine` to that of the passage. Throws INDEX_UNUSABLE.
 */
export async function makeQuestions(
  real: RealText,
  index: string,
  { count, cosine }: { count: number; cosine: number },
): Promise<ScaleQuestion[]> {
  const statistics = new TextStatistics();
  for (const { text } of real.documents) statistics.add(text);
  const byCount = [...statistics.counts()].sort(([, a], [, b]) => b - a);
  const frequent = new Set(byCount.slice(0, FREQUENT).map(([word]) => word));
  for (const word of QUESTIONS) frequent.add(word);
  const random = seededRandom(4);
  const frames = sample(real.queries, count, random);
  const backend = await openBackend(index);
  try {
    const { text } = backend.lexicons;
    const { passages } = backend.manifest.counts;
    const questions: ScaleQuestion[] = [];
    for (let i = 0; i < count; i += 1) {
      const ordinal = randomInteger(random, passages);
      const [indexed] = await backend.passages([ordinal]);
      const { passage, vector } = indexed!;
      const own = [...new Set(wordsOf(passage.text))].filter(
        (word) => word.length > 2 && !frequent.has(word),
      );
      const rareFirst = own
        .flatMap((word) => {
          const [found] = text.weigh(analyse(word).map((term) => ({ term, weight: 1 })));
          return found === undefined ? [] : [{ word, weight: found.weight }];
        })
        .sort((a, b) => b.weight - a.weight)
        .map(({ word }) => word);
      // The rarer half and the other one, each in random order.
      const half = rareFirst.length >> 1;
      const halves = [rareFirst.slice(0, half), rareFirst.slice(half)];
      let turn = 0;
      const query = frames[i % frames.length]!.query.replace(/\p{L}+/gu, (written) => {
        if (frequent.has(written.toLowerCase())) return written;
        const from = halves[turn++ % 2]!;
        return from.splice(randomInteger(random, Math.max(1, from.length)), 1)[0] ?? '';
      });
      const { buffer, byteOffset, byteLength } = vectorBeside(vector!, cosine, random);
      questions.push({
        id: `q${i}`,
        query: query.replace(/\s+/g, ' ').trim(),
        vector: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
        ordinal,
      });
    }
    return questions;
  } finally {
    await backend.close();
  }
}

const QUESTIONS = 'what who whom whose when where which why how does did do is are was were many much'.split(
  ' ',
);
