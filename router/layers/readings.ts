/** Concepts that bear one name, and how each is called so that a user can choose, and the choice is known again. */
import type { Concept, Vocabulary } from '../vocabulary/index.ts';
import { upToThree } from './suggestions.ts';

const MOST_CHARS = 800;
const LONGEST = 80;

/** Concepts that say something different: the same label and definition twice is a duplicate, no second meaning. */
export function different(concepts: readonly Concept[]): Concept[] {
  const seen = new Set<string>();
  return concepts.filter(({ label, definition }) => {
    const said = JSON.stringify([label.toLowerCase(), definition?.toLowerCase() ?? null]);
    return !seen.has(said) && seen.add(said);
  });
}

/** A concept's label with, in brackets, what lies above it, its definition's beginning, or its id. */
function callings(terms: Vocabulary, concept: Concept): string[] {
  const { label, definition, id } = concept;
  const above = terms.above(concept, 1)[0]?.label;
  const told = [...(above === undefined ? [] : [above]), (definition ?? 'no definition').slice(0, LONGEST)];
  return [...told, id.slice(-LONGEST)].map((more) => upToThree([`${label} (${more})`])[0]!);
}

/** What each reading is called: the first of its callings that no other reading has too, else the last. */
export function readingsOf(terms: Vocabulary, concepts: readonly Concept[]): string[] {
  const all = concepts.map((concept) => callings(terms, concept));
  return all.map((own, i) => {
    const others = new Set(all.flatMap((calling, j) => (i === j ? [] : calling)).map(folded));
    return own.find((calling) => !others.has(folded(calling))) ?? own.at(-1)!;
  });
}

interface Chosen {
  /** The query with the label alone in the place of the reading. */
  query: string;
  /** More than one where the reading fits several. */
  concepts: Concept[];
}

/** The reading that a query was given after somebody asked which is meant ("Mercury (Planets)"); null: none. */
export function chosenIn(terms: Vocabulary, query: string): Chosen | null {
  if (query.length > MOST_CHARS) return null;
  for (const { concepts } of terms.find(query)) {
    const held = concepts.flatMap((concept) => {
      const calling = callings(terms, concept).find((one) => folded(query).includes(folded(one)));
      return calling === undefined ? [] : [{ concept, calling }];
    });
    const [first] = held;
    if (first === undefined) continue;
    const at = folded(query).indexOf(folded(first.calling));
    const rest = query.slice(at + first.calling.length);
    return {
      query: query.slice(0, at) + first.concept.label + rest,
      concepts: held
        .filter(({ calling }) => folded(calling) === folded(first.calling))
        .map((one) => one.concept),
    };
  }
  return null;
}

/** Case aside, of the same length as the text. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}
