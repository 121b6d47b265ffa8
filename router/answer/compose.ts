/** From a decision to answer to what is shown: quotes in the form that the act asks for. */
import type { Evidence } from '../contracts.ts';
import { sentences } from '../corpus/passages/sentences.ts';
import type { SpanAnswer } from '../decision/index.ts';
import type { Answer, Quote } from './record.ts';

/** A span inside the sentence that makes it true. */
export function composed(span: SpanAnswer, evidence: readonly Evidence[]): Answer {
  const { text, claim, docId, passageId, start, end } = span;
  const quotes: Quote[] = [{ text, docId, passageId, start, end, role: 'answer' }];
  const passage = evidence.find((each) => each.passageId === passageId);
  if (passage !== undefined) quotes.push(...contextOf(span, passage));
  return { form: 'span', text, quotes, verdict: null, band: 'HIGH', claim, cut: null };
}

/** The sentences that a span stands in; none where it is all of them. */
function contextOf({ start, end }: SpanAnswer, { docId, passageId, text, start: offset }: Evidence): Quote[] {
  const around = sentences(text, 0, text.length).filter(
    (each) => each.end + offset > start && each.start + offset < end,
  );
  const [first, last] = [around[0], around.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (first.start + offset >= start && last.end + offset <= end) return [];
  const whole = text.slice(first.start, last.end);
  return [
    { text: whole, docId, passageId, start: first.start + offset, end: last.end + offset, role: 'context' },
  ];
}
