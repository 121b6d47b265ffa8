import { sentences } from '../../corpus/index.ts';

/** A quotation's length in UTF-16 units; `quoted` cuts what goes beyond. */
const LONGEST = 160;
/** How far to either side of a span its sentence is looked for. */
const REACH = 1_000;
/** How much of a long sentence is kept before the span. */
const LEAD = 40;

interface Stretch {
  start: number;
  end: number;
}

/** The sentence (or sentences) of a text that hold a stretch of it, within one paragraph. UTF-16 offsets. */
export function sentenceAt(text: string, { start, end }: Stretch): Stretch {
  const breakBefore = Math.max(0, start - REACH, text.lastIndexOf('\n\n', start));
  const next = text.indexOf('\n\n', end);
  const breakAfter = Math.min(text.length, end + REACH, next < 0 ? text.length : next);
  const held = sentences(text, breakBefore, breakAfter).find((range) => range.end > start);
  return { start: Math.min(held?.start ?? start, start), end: Math.max(held?.end ?? end, end) };
}

/**
 * What a passage itself says around a span: the sentence that holds it, on one line. When the span would not stand in
 * the first 160 characters, the sentence begins shortly before it, behind "…".
 */
export function sentenceAround(text: string, span: Stretch): string {
  const { start, end } = sentenceAt(text, span);
  const whole = oneLine(text.slice(start, end)).trim();
  const before = oneLine(text.slice(start, span.start)).trimStart().length;
  if (before + (span.end - span.start) < LONGEST) return whole;
  const skipped = before - LEAD;
  if (skipped <= 0) return whole;
  return `…${whole.slice(skipped).replace(/^(?:\S{0,30}\s|[\udc00-\udfff])/, '')}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
