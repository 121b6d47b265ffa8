import { sentences } from '../corpus/passages/sentences.ts';

/** A quotation's length in UTF-16 units; `quoted` cuts what goes beyond. */
const LONGEST = 160;
/** How far to either side of a span its sentence is looked for. */
const REACH = 1_000;
/** How much of a long sentence is kept before the span. */
const LEAD = 40;

/**
 * What a passage itself says around a span: the sentence that holds it, on one line. When the span would not stand in
 * the first 160 characters, the sentence begins shortly before it, behind "…". `start`/`end`: UTF-16 offsets.
 */
export function sentenceAround(text: string, { start, end }: { start: number; end: number }): string {
  const breakBefore = Math.max(0, start - REACH, text.lastIndexOf('\n\n', start));
  const next = text.indexOf('\n\n', end);
  const breakAfter = Math.min(text.length, end + REACH, next < 0 ? text.length : next);
  const held = sentences(text, breakBefore, breakAfter).find((range) => range.end > start);
  const left = Math.min(held?.start ?? start, start);
  const right = Math.max(held?.end ?? end, end);
  const whole = oneLine(text.slice(left, right)).trim();
  const before = oneLine(text.slice(left, start)).trimStart().length;
  if (before + (end - start) < LONGEST) return whole;
  const skipped = before - LEAD;
  if (skipped <= 0) return whole;
  return `…${whole.slice(skipped).replace(/^(?:\S{0,30}\s|[\udc00-\udfff])/, '')}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
