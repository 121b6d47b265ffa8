import type { Passage } from '../passages/passage.ts';
import type { Segments } from '../types.ts';
import { analyse } from './analysis.ts';
import { definedIn, isCausal, isProcedural } from './cues.ts';
import { FieldWriter } from './field-writer.ts';
import { FIELDS, type FieldName } from './load.ts';
import { quantitiesIn } from './quantities.ts';
import { sentences } from './sentences.ts';

/** The innermost part of a title such as `Manual > Parts > Valve`. */
function lastHeading(title: string): string {
  return title.slice(title.lastIndexOf(' > ') + 1);
}

/** The terms of a passage by field, repeats kept, and the kinds of quantity that it holds (bits of `QUANTITY`). */
export interface PassageTerms extends Record<FieldName, string[]> {
  kinds: number;
}

/**
 * Fields: `text` (title and text, both once); `definition` (the names of what a passage defines); `quantity`, `procedure`, `cause` (the
 * terms of those sentences only that hold a quantity, give a step, or a cause).
 */
export function termsOf({ title, text, genre }: Passage): PassageTerms {
  const found: PassageTerms = { text: [], definition: [], quantity: [], procedure: [], cause: [], kinds: 0 };
  // Not spread: a text may have more terms than a call takes arguments.
  const add = (field: FieldName, terms: Iterable<string>) => {
    for (const term of terms) found[field].push(term);
  };
  add('text', analyse(title));
  // A glossary entry stands under the name that it explains.
  if (genre === 'definition') add('definition', new Set(analyse(lastHeading(title))));
  for (const sentence of sentences(text)) {
    const terms = analyse(sentence);
    add('text', terms);
    for (const phrase of definedIn(sentence, lastHeading(title))) {
      add('definition', new Set(analyse(phrase)));
    }
    const held = quantitiesIn(sentence);
    found.kinds |= held;
    if (held !== 0) add('quantity', terms);
    if (genre === 'steps' || isProcedural(sentence)) add('procedure', terms);
    if (isCausal(sentence)) add('cause', terms);
  }
  return found;
}

/** Postings of every field over the passages. Segment `postings.kinds` (Uint16, one a passage): which kinds of quantity it holds. */
export function buildPostings(passages: readonly Passage[]): Segments {
  const writers = FIELDS.map((name) => ({ name, writer: new FieldWriter(name) }));
  const kinds = new Uint16Array(passages.length);
  passages.forEach((passage, ordinal) => {
    const terms = termsOf(passage);
    kinds[ordinal] = terms.kinds;
    for (const { name, writer } of writers) {
      for (const term of terms[name]) writer.add(term);
      writer.endPassage();
    }
  });
  const segments = Object.assign({}, ...writers.map(({ writer }) => writer.segments())) as Segments;
  return { ...segments, 'postings.kinds': new Uint8Array(kinds.buffer) };
}
