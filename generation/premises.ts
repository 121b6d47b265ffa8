/** Which parts of which passages a claim is held against. */
import { type Range, sentences } from '../corpus/index.ts';
import { contentWords } from '../scorers/index.ts';

/** A passage that an answer may lean on. */
export interface SourcePassage {
  text: string;
  /** Of its document and headings; read before the text, because a passage often names its subject only there. */
  title?: string | undefined;
}

/** A passage cut for comparison, once for all claims. */
export interface CutPassage extends SourcePassage {
  /** From 1, as it is cited. */
  number: number;
  sentences: readonly (Range & { words: ReadonlySet<string> })[];
}

/** A stretch of a passage as a premise: UTF-16 offsets into its text. */
export interface Stretch extends Range {
  passage: number;
  premise: string;
}

/** Sentences of a passage that are looked at; what lies behind them is compared by its names and numbers alone. */
const MOST_SENTENCES = 1_000;
const TITLE_CHARS = 200;
/** A passage longer than this is read by its stretches alone. */
const WHOLE_CHARS = 4_000;
/** Stretches for one claim, and passages that are also read whole. */
const STRETCHES = 6;
const WHOLE = 4;

export function cutPassage({ text, title }: SourcePassage, number: number): CutPassage {
  const cut = sentences(text, 0, text.length).slice(0, MOST_SENTENCES);
  return {
    text,
    ...(title !== undefined && { title }),
    number,
    sentences: cut.map((range) => ({ ...range, words: contentWords(text.slice(range.start, range.end)) })),
  };
}

/**
 * The stretches to hold a claim against, best first: around the sentences that share most content words with it, one
 * sentence more on each side, and the passages that these stand in whole. The best of both ranks
 * supported claims above others as well as whole passages alone, and a stretch can be quoted. At most ten, whatever the
 * passages.
 */
export function stretchesFor(claim: string, passages: readonly CutPassage[]): Stretch[] {
  const words = contentWords(claim);
  const near = passages
    .flatMap((passage) =>
      passage.sentences.map((sentence, i) => ({ passage, i, shared: shared(words, sentence.words) })),
    )
    .sort((a, b) => b.shared - a.shared)
    .slice(0, STRETCHES);
  const found = new Map<string, Stretch>();
  const add = (passage: CutPassage, start: number, end: number) => {
    const premise = premiseOf(passage, start, end);
    found.set(`${passage.number} ${start} ${end}`, { passage: passage.number, start, end, premise });
  };
  for (const { passage, i } of near) {
    const last = passage.sentences[Math.min(passage.sentences.length - 1, i + 1)]!;
    add(passage, passage.sentences[Math.max(0, i - 1)]!.start, last.end);
  }
  for (const passage of [...new Set(near.map((one) => one.passage))].slice(0, WHOLE)) {
    if (passage.text.length > WHOLE_CHARS) continue;
    add(passage, passage.sentences[0]!.start, passage.sentences.at(-1)!.end);
  }
  return [...found.values()];
}

function premiseOf({ text, title = '' }: CutPassage, start: number, end: number): string {
  const head = title.slice(0, TITLE_CHARS).trim();
  const stretch = text.slice(start, end);
  return head === '' ? stretch : `${head}. ${stretch}`;
}

function shared(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let count = 0;
  for (const word of words) if (others.has(word)) count += 1;
  return count;
}
