/** How texts become sequences: special tokens, and windows by sentences where a text is too long for one. */
import type { Sequence } from './queue.ts';
import type { Encoding, TextTokenizer } from './tokenizer.ts';

/** Windows of one text at most; what lies beyond them is counted as truncated. */
export const MAX_WINDOWS = 4;

/** `[CLS] text [SEP]`, cut at the model's limit. */
export function singleSequence(tokenizer: TextTokenizer, text: Encoding, maxTokens: number): Sequence {
  const ids = [tokenizer.cls, ...text.ids.slice(0, maxTokens - 2), tokenizer.sep];
  return { ids, second: ids.length };
}

/** One sequence over the word pieces `from` to `to` of the long text, which stand at `offset` in the sequence. */
export interface Window {
  sequence: Sequence;
  from: number;
  to: number;
  offset: number;
}

export interface PairPlan {
  windows: Window[];
  /** Word pieces of all texts that some window covers, each counted once, and those that none covers. */
  tokens: number;
  truncatedTokens: number;
}

/**
 * `[CLS] first [SEP] second [SEP]`. The `long` side is split into windows of whole sentences (a sentence that is
 * itself too long is cut between words); the other side stands in every window and is cut to half of the room.
 */
export function planPair(
  tokenizer: TextTokenizer,
  first: Encoding,
  second: Encoding,
  long: 'first' | 'second',
  longText: string,
  maxTokens: number,
): PairPlan {
  const room = maxTokens - 3;
  const [split, other] = long === 'first' ? [first, second] : [second, first];
  // The short side gives way only as far as it must.
  const kept = Math.min(other.ids.length, Math.max(Math.floor(room / 2), room - split.ids.length));
  const short = other.ids.slice(0, kept);
  const { cls, sep } = tokenizer;
  const [before, after] = long === 'first' ? [[cls], [sep, ...short, sep]] : [[cls, ...short, sep], [sep]];
  const turns = long === 'first' ? null : before.length;
  return planned(split, longText, turns, before, after, maxTokens, [other.ids.length, kept]);
}

/**
 * `[CLS] query [SEP] title [SEP] heading passage [SEP]`, the token type being 1 from the heading on; a title without word
 * pieces is left out with its separator. Query, title and heading are cut at `most` (a heading at as many as a title), the
 * passage is split into windows.
 */
export function planReading(
  tokenizer: TextTokenizer,
  { query, title, heading, passage }: Record<'query' | 'title' | 'heading' | 'passage', Encoding>,
  text: string,
  maxTokens: number,
  most: { query: number; title: number },
): PairPlan {
  const { cls, sep } = tokenizer;
  const asked = query.ids.slice(0, most.query);
  const named = title.ids.slice(0, most.title);
  const headed = heading.ids.slice(0, most.title);
  const first = [cls, ...asked, sep, ...(named.length === 0 ? [] : [...named, sep])];
  const others = [
    query.ids.length + title.ids.length + heading.ids.length,
    asked.length + named.length + headed.length,
  ] as const;
  return planned(passage, text, first.length, [...first, ...headed], [sep], maxTokens, others);
}

/**
 * Windows over the long text, each between the same tokens. The token type is 1 from the place `second` on; null: from behind
 * the long text and its separator. `others`: word pieces of the texts that stand in every window, all of them and those that were kept.
 */
function planned(
  split: Encoding,
  source: string,
  second: number | null,
  before: readonly number[],
  after: readonly number[],
  maxTokens: number,
  [all, kept]: readonly [number, number],
): PairPlan {
  const room = maxTokens - before.length - after.length;
  const parts = split.ids.length <= room ? [[0, split.ids.length] as const] : cut(split, source, room);
  const offset = before.length;
  const windows = parts.slice(0, MAX_WINDOWS).map(([from, to]) => {
    const ids = [...before, ...split.ids.slice(from, to), ...after];
    return {
      sequence: { ids, second: second ?? offset + to - from + 1 },
      from,
      to,
      offset,
    };
  });
  const covered = windows.at(-1)!.to;
  return { windows, tokens: kept + covered, truncatedTokens: all - kept + split.ids.length - covered };
}

/** Stretches of at most `room` word pieces, ending where a sentence ends if that fills at least a third of it. */
function cut(text: Encoding, source: string, room: number): [number, number][] {
  const reach = Math.min(text.ids.length, (MAX_WINDOWS + 1) * room);
  const parts: [number, number][] = [];
  const stops = sentenceStarts(text, source.slice(0, text.ends[reach - 1]), reach);
  let from = 0;
  while (from < text.ids.length && parts.length < MAX_WINDOWS) {
    let to = Math.min(text.ids.length, from + room);
    if (to < text.ids.length) {
      const stop = stops.findLast((s) => s > from + room / 3 && s <= to);
      const limit = to;
      if (stop !== undefined) to = stop;
      else while (to > from + 1 && text.heads[to] === 0) to -= 1;
      if (to === from + 1) to = limit;
    }
    parts.push([from, to]);
    from = to;
  }
  return parts;
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Indices of the word pieces (below `limit`) with which a sentence begins. */
function sentenceStarts(text: Encoding, source: string, limit: number): number[] {
  const starts: number[] = [];
  let piece = 0;
  for (const { index } of sentences.segment(source)) {
    while (piece < limit && text.starts[piece]! < index) piece += 1;
    if (piece > 0 && piece < limit && text.heads[piece] === 1) starts.push(piece);
  }
  return starts;
}
