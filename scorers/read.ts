/** Extractive reading: the best span of a passage against "no answer here" (Devlin et al. 2019, section 4.3). */
import type { Encoding } from './runtime/tokenizer.ts';
import type { PairPlan } from './runtime/windows.ts';
import type { Reading, Span } from './types.ts';

/** Word pieces of an answer at most. */
const MAX_ANSWER_TOKENS = 30;
const ALTERNATIVES = 3;
/** The margin of a passage in which there is no span at all: far below any that the reader gives. */
const NO_SPAN_MARGIN = -100;

export interface WindowLogits {
  start: Float32Array;
  end: Float32Array;
}

interface Found extends Span {
  /** Score over that window's "no answer here". */
  margin: number;
  noAnswer: number;
}

/**
 * The reading of a passage from the logits of its windows. Spans of different windows are compared by their
 * margin over "no answer here" in their own window; `noAnswer` is that of the best span's window.
 */
export function readingOf(
  plan: PairPlan,
  passage: Encoding,
  text: string,
  logits: readonly WindowLogits[],
): Reading {
  const found = plan.windows.flatMap((window, w) => {
    const { start, end } = logits[w]!;
    const noAnswer = start[0]! + end[0]!;
    return spansOf(passage, text, window.from, window.to, window.offset, start, end).map((span) => ({
      ...span,
      noAnswer,
      margin: span.score - noAnswer,
    }));
  });
  found.sort((a, b) => b.margin - a.margin || a.start - b.start);
  const [best, ...rest] = found.slice(0, 1 + ALTERNATIVES);
  const counts = { tokens: plan.tokens, truncatedTokens: plan.truncatedTokens };
  if (best === undefined) {
    const noAnswer = logits[0]!.start[0]! + logits[0]!.end[0]!;
    return { best: null, alternatives: [], lead: null, noAnswer, margin: NO_SPAN_MARGIN, ...counts };
  }
  return {
    best: bare(best),
    alternatives: rest.map(bare),
    lead: rest.length === 0 ? null : best.margin - rest[0]!.margin,
    noAnswer: best.noAnswer,
    margin: best.margin,
    ...counts,
  };
}

function bare({ text, start, end, score }: Found): Span {
  return { text, start, end, score };
}

/** The best spans of one window, best first, none overlapping another. */
function spansOf(
  passage: Encoding,
  text: string,
  from: number,
  to: number,
  offset: number,
  startLogits: Float32Array,
  endLogits: Float32Array,
): Span[] {
  const spans: Span[] = [];
  /** Word pieces that a span already covers. */
  const taken = new Uint8Array(to - from);
  /** Place of the first letter or digit at or after each word piece: a span must reach it. */
  const wordAt = new Int32Array(to - from + 1).fill(to - from);
  for (let i = to - from - 1; i >= 0; i -= 1) {
    const isWord = /[\p{L}\p{N}]/u.test(text.slice(passage.starts[from + i], passage.ends[from + i]));
    wordAt[i] = isWord ? i : wordAt[i + 1]!;
  }
  const opens = blockStarts(passage, text, from, to);
  while (spans.length <= ALTERNATIVES) {
    let score = Number.NEGATIVE_INFINITY;
    let first = -1;
    let last = -1;
    for (let i = 0; i < taken.length; i += 1) {
      const s = startLogits[offset + i]!;
      for (let j = i; j < taken.length && j < i + MAX_ANSWER_TOKENS && taken[j] === 0; j += 1) {
        if (j > i && opens[j] === 1) break;
        const sum = s + endLogits[offset + j]!;
        if (sum > score && wordAt[i]! <= j) [score, first, last] = [sum, i, j];
      }
    }
    if (first < 0) break;
    const [begin, stop] = wholeWords(passage, text, from + first, from + last, from, to);
    taken.fill(1, Math.max(0, begin - from), stop + 1 - from);
    const start = passage.starts[begin]!;
    const end = passage.ends[stop]!;
    if (spans.some((span) => span.start < end && start < span.end)) continue;
    spans.push({ text: text.slice(start, end), start, end, score });
  }
  return spans;
}

/** 1 where a word piece opens a paragraph, a list item or a table row: an answer does not run across. */
function blockStarts({ starts, ends }: Encoding, text: string, from: number, to: number): Uint8Array {
  const opens = new Uint8Array(to - from);
  for (let i = from + 1; i < to; i += 1) {
    const gap = text.slice(ends[i - 1], starts[i]);
    if (!gap.includes('\n')) continue;
    const next = text.slice(starts[i], starts[i]! + 8);
    if (/\n\s*\n/.test(gap) || /^(?:[-*+•|]|\d{1,3}[.)]\s)/.test(next)) opens[i - from] = 1;
  }
  return opens;
}

/** Widens a span of word pieces to whole words; "1,234.5" is one word. Stays inside the window. */
function wholeWords(
  { heads, starts, ends }: Encoding,
  text: string,
  first: number,
  last: number,
  from: number,
  to: number,
): [number, number] {
  const digit = (at: number): boolean => at >= 0 && at < text.length && /\p{Nd}/u.test(text[at]!);
  /** Do the pieces before and at `i` belong together? */
  const joined = (i: number): boolean => {
    if (heads[i] === 0) return true;
    if (ends[i - 1] !== starts[i]) return false;
    const at = starts[i]!;
    const mark = /[.,]/;
    return (
      (mark.test(text[at]!) && digit(at - 1) && digit(at + 1)) ||
      (mark.test(text[at - 1]!) && digit(at) && digit(at - 2))
    );
  };
  let begin = first;
  let stop = last;
  while (begin > from && joined(begin)) begin -= 1;
  while (stop + 1 < to && joined(stop + 1)) stop += 1;
  return [begin, stop];
}
