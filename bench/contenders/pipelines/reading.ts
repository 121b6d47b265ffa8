/** Reading passages that no router has chosen, with the reader and the rule of the router. */
import { supportOf } from '../../../calibration/index.ts';
import type { Passage } from '../../../router/index.ts';
import { chooseAnswer, type Scorers } from '../../../scorers/index.ts';
import { CERTIFIED_UNITS } from '../../parity/certificate.ts';
import type { Spent } from '../items.ts';

export type Source = Pick<Passage, 'passageId' | 'docId' | 'title' | 'text'>;

export interface Read {
  text: string;
  claim: string;
  /** How likely the answer is right, in [0, 1], as the router has it. */
  score: number;
  source: Source;
  support: number | null;
}

/** The best answer that stands in these; null where none has a word. */
export async function answerIn(
  query: string,
  sources: readonly Source[],
  scorers: Pick<Scorers, 'rerank' | 'read'>,
): Promise<Read | null> {
  const pairs = sources.map(({ text, title }) => ({ query, passage: text, title: documentOf(title) }));
  const [relevances, readings] = await Promise.all([scorers.rerank(pairs), scorers.read(pairs)]);
  const [best] = chooseAnswer(
    query,
    sources.map(({ passageId, docId, title, text }, i) => ({
      key: passageId,
      docId,
      title,
      text,
      branches: [],
      relevance: relevances[i]!,
      reading: readings[i]!,
    })),
  ).clusters;
  const source = sources.find(({ passageId }) => passageId === best?.voices[0]?.key);
  if (best === undefined || source === undefined) return null;
  const { text, claim, score } = best;
  return { text, claim, score, source, support: supportOf(claim, source.text) };
}

/** As the reader is told of it: without the headings behind it. */
function documentOf(title: string): string {
  return title.split(' > ')[0]!;
}

/** Word pieces that the reader takes of a passage and its title. */
export function tokensOf(
  { text, title }: Pick<Source, 'text' | 'title'>,
  { countTokens, info }: Pick<Scorers, 'countTokens' | 'info'>,
): number {
  return countTokens(text) + Math.min(countTokens(documentOf(title)), info.titleTokens);
}

/** Nothing but these. */
export function spending(units: Partial<Spent>): Spent {
  return { ...(Object.fromEntries(CERTIFIED_UNITS.map((unit) => [unit, 0])) as Spent), ...units };
}

export function added(a: Spent, b: Spent): Spent {
  return Object.fromEntries(CERTIFIED_UNITS.map((unit) => [unit, a[unit] + b[unit]])) as Spent;
}
