import type { Passage } from '../passages/passage.ts';
import type { Segments } from '../types.ts';
import { analyse } from './analysis.ts';
import { definedIn, isCausal, isProcedural } from './cues.ts';
import { FieldWriter } from './field-writer.ts';
import { quantitiesIn } from './quantities.ts';
import { sentences } from './sentences.ts';

/** How many times a term of the title counts. */
const TITLE_WEIGHT = 1;

/** The innermost part of a title such as `Manual > Parts > Valve`. */
function lastHeading(title: string): string {
  return title.slice(title.lastIndexOf(' > ') + 1);
}

/**
 * Postings of every branch over the passages, in one pass. Fields: `text` (title and text); `definition` (the names
 * of what a passage defines); `quantity`, `procedure`, `cause` (the terms of those sentences only that hold a
 * quantity, give a step, or a cause). Segment `postings.kinds` (Uint16, one a passage): which kinds of quantity it holds.
 */
export function buildPostings(passages: readonly Passage[]): Segments {
  const text = new FieldWriter('text');
  const definition = new FieldWriter('definition');
  const quantity = new FieldWriter('quantity');
  const procedure = new FieldWriter('procedure');
  const cause = new FieldWriter('cause');
  const kinds = new Uint16Array(passages.length);
  passages.forEach((passage, ordinal) => {
    for (const term of analyse(passage.title)) text.add(term, TITLE_WEIGHT);
    // A glossary entry stands under the name that it explains.
    if (passage.genre === 'definition') {
      for (const term of new Set(analyse(lastHeading(passage.title)))) definition.add(term);
    }
    for (const sentence of sentences(passage.text)) {
      const terms = analyse(sentence);
      for (const term of terms) text.add(term);
      for (const phrase of definedIn(sentence, lastHeading(passage.title))) {
        for (const term of new Set(analyse(phrase))) definition.add(term);
      }
      const held = quantitiesIn(sentence);
      kinds[ordinal]! |= held;
      if (held !== 0) for (const term of terms) quantity.add(term);
      if (passage.genre === 'steps' || isProcedural(sentence)) for (const term of terms) procedure.add(term);
      if (isCausal(sentence)) for (const term of terms) cause.add(term);
    }
    for (const field of [text, definition, quantity, procedure, cause]) field.endPassage();
  });
  return {
    ...text.segments(),
    ...definition.segments(),
    ...quantity.segments(),
    ...procedure.segments(),
    ...cause.segments(),
    'postings.kinds': new Uint8Array(kinds.buffer),
  };
}
