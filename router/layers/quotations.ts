import { type Range, sentenceAt } from '../../corpus/index.ts';

/** A quotation's length in UTF-16 units; `quoted` cuts what goes beyond. */
const LONGEST = 160;
/** How much of a long sentence is kept before the span. */
const LEAD = 40;

/**
 * What a passage itself says around a span: the sentence that holds it, on one line. When the span would not stand in
 * the first 160 characters, the sentence begins shortly before it, behind "…".
 */
export function sentenceAround(text: string, span: Range): string {
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
