import { findLoops } from './hierarchy.ts';
import type { VocabularySettings } from './settings.ts';
import { unusable } from './text-stream.ts';
import type { Triple } from './triples.ts';
import type { Concept, VocabularyReport } from './types.ts';
import { phraseKey, wordsOf } from './words.ts';

const SKOS = 'http://www.w3.org/2004/02/skos/core#';
const SKOS_XL = 'http://www.w3.org/2008/05/skos-xl#';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const DC = 'http://purl.org/dc/terms/';

type Field = 'label' | 'plainLabel' | 'alternative' | 'hidden' | 'definition' | 'description';

/** Which predicate says what. Labels of SKOS-XL and definitions of their own stand behind a node. */
const TEXTS = new Map<string, Field>([
  [`${SKOS}prefLabel`, 'label'],
  [`${SKOS_XL}prefLabel`, 'label'],
  [`${SKOS}altLabel`, 'alternative'],
  [`${SKOS_XL}altLabel`, 'alternative'],
  [`${SKOS}hiddenLabel`, 'hidden'],
  [`${SKOS_XL}hiddenLabel`, 'hidden'],
  [`${SKOS}definition`, 'definition'],
  [`${RDFS}label`, 'plainLabel'],
  [`${RDFS}comment`, 'description'],
  [`${DC}description`, 'description'],
]);
const VALUES = new Set([`${RDF}value`, `${SKOS_XL}literalForm`]);

interface Text {
  value: string;
  /** Place of its language among those wanted; a text without a language comes after them, any other last. */
  rank: number;
}

interface Draft extends Record<Field, Text[]> {
  broader: string[];
  source: string;
  concept: boolean;
  deprecated: boolean;
}

/** Text of a record of a table, by what it is. */
export interface Row {
  id: string;
  label: string;
  alternatives: string[];
  hidden: string[];
  definition: string;
  broader: string[];
}

const EXAMPLES = 5;

/** Gathers concepts from triples and rows in any order; what no concept needs is dropped at once. */
export class ConceptCollector {
  readonly #settings: VocabularySettings;
  readonly #drafts = new Map<string, Draft>();
  /** Texts that stand behind a node, and where they are wanted. */
  readonly #behind = new Map<string, Text>();
  readonly #wanted: { id: string; field: Field; node: string }[] = [];
  readonly #files: string[] = [];
  readonly #leftOut = { labels: 0, deprecated: 0, unlabelled: 0 };
  #cut = 0;

  constructor(settings: VocabularySettings) {
    this.#settings = settings;
  }

  beginFile(name: string): void {
    this.#files.push(name);
  }

  triple({ subject, predicate, object }: Triple): void {
    const field = TEXTS.get(predicate.value);
    if (field !== undefined) {
      if (object.termType === 'Literal') this.#text(subject.value, field, this.#read(object));
      else this.#wanted.push({ id: subject.value, field, node: object.value });
    } else if (VALUES.has(predicate.value)) {
      if (object.termType === 'Literal') this.#behind.set(subject.value, this.#read(object));
    } else if (predicate.value === `${SKOS}broader`) {
      this.#draft(subject.value).broader.push(object.value);
    } else if (predicate.value === `${SKOS}narrower`) {
      this.#draft(object.value).broader.push(subject.value);
    } else if (predicate.value === `${RDF}type`) {
      if (object.value === `${SKOS}Concept`) this.#draft(subject.value).concept = true;
    } else if (predicate.value.endsWith('#deprecated') && object.value === 'true') {
      this.#draft(subject.value).deprecated = true;
    }
  }

  row({ id, label, alternatives, hidden, definition, broader }: Row): void {
    const draft = this.#draft(id);
    const put = (field: Field, values: readonly string[]): void => {
      for (const value of values) this.#text(id, field, { value, rank: 0 });
    };
    put('label', [label]);
    put('alternative', alternatives);
    put('hidden', hidden);
    put('definition', [definition]);
    draft.broader.push(...broader);
  }

  /** Every concept with a label, in order of first mention. Throws VOCABULARY_UNUSABLE when there is none. */
  finish(): { concepts: Concept[]; report: VocabularyReport } {
    for (const { id, field, node } of this.#wanted) {
      const text = this.#behind.get(node);
      if (text !== undefined) this.#text(id, field, text);
    }
    const concepts: Concept[] = [];
    for (const [id, draft] of this.#drafts) {
      const concept = this.#concept(id, draft);
      if (concept !== null) concepts.push(concept);
    }
    if (concepts.length === 0) {
      throw unusable(
        `${this.#files.join(', ') || 'The vocabulary'} holds no term with a label.`,
        'A term has a skos:prefLabel; a table has a column named "term" or "label".',
      );
    }
    return { concepts: this.#linked(concepts), report: this.#report(concepts) };
  }

  #draft(id: string): Draft {
    let draft = this.#drafts.get(id);
    if (draft === undefined) {
      if (this.#drafts.size >= this.#settings.maxConcepts) {
        throw unusable(
          `The vocabulary has more than ${this.#settings.maxConcepts} concepts.`,
          `Leave out what is not needed, or say --vocabulary-max-concepts ${2 * this.#settings.maxConcepts} (in the library vocabulary.maxConcepts).`,
        );
      }
      draft = {
        label: [],
        plainLabel: [],
        alternative: [],
        hidden: [],
        definition: [],
        description: [],
        broader: [],
        source: this.#files.at(-1) ?? '',
        concept: false,
        deprecated: false,
      };
      this.#drafts.set(id, draft);
    }
    return draft;
  }

  #read({ value, language = '' }: Triple['object']): Text {
    const { languages } = this.#settings;
    const spoken = language.toLowerCase();
    const wanted = languages.findIndex((each) => {
      const name = each.toLowerCase();
      return spoken === name || spoken.startsWith(`${name}-`);
    });
    return { value, rank: wanted >= 0 ? wanted : spoken === '' ? languages.length : languages.length + 1 };
  }

  #text(id: string, field: Field, { value, rank }: Text): void {
    const { maxDefinitionChars, maxLabelChars, maxLabels, languages } = this.#settings;
    let trimmed = value.replace(/\s+/gu, ' ').trim();
    if (trimmed === '') return;
    const texts = this.#draft(id)[field];
    if (field === 'definition' || field === 'description') {
      if (texts[0] !== undefined && texts[0].rank <= rank) return;
      if (trimmed.length > maxDefinitionChars) {
        trimmed = trimmed.slice(0, maxDefinitionChars).replace(/[\ud800-\udbff]$/, '');
        this.#cut += 1;
      }
      texts[0] = { value: trimmed, rank };
      return;
    }
    // A label in a language that nobody wants helps only a concept without any other.
    const foreign = rank > languages.length;
    if (foreign && (field === 'alternative' || field === 'hidden' || texts.length > 0)) return;
    if (trimmed.length > maxLabelChars || texts.length >= maxLabels) this.#leftOut.labels += 1;
    else texts.push({ value: trimmed, rank });
  }

  #concept(id: string, draft: Draft): Concept | null {
    const byRank = (texts: Text[]): Text[] => texts.sort((a, b) => a.rank - b.rank);
    const [first, ...more] = [...byRank(draft.label), ...(draft.concept ? byRank(draft.plainLabel) : [])];
    if (first === undefined) {
      if (draft.concept) this.#leftOut.unlabelled += 1;
      return null;
    }
    if (draft.deprecated) {
      this.#leftOut.deprecated += 1;
      return null;
    }
    const label = first.value;
    // A second preferred label in a wanted language is another name; one in an unwanted language is none.
    const others = more.filter(({ rank }) => rank <= this.#settings.languages.length);
    const alternatives = new Set([...others, ...byRank(draft.alternative)].map(({ value }) => value));
    alternatives.delete(label);
    return {
      id,
      label,
      alternatives: [...alternatives],
      hidden: [...new Set(byRank(draft.hidden).map(({ value }) => value))],
      definition: (draft.definition[0] ?? draft.description[0])?.value ?? null,
      broader: [...new Set(draft.broader)],
      source: draft.source,
    };
  }

  /** Concepts above by id, where the vocabulary has them; a table may name them by their label. */
  #linked(concepts: readonly Concept[]): Concept[] {
    const ids = new Set(concepts.map(({ id }) => id));
    const byLabel = new Map(concepts.map(({ id, label }) => [label.toLowerCase(), id]));
    return concepts.map((concept) => {
      if (concept.broader.length === 0) return concept;
      const above = concept.broader.flatMap((name) =>
        ids.has(name) ? name : (byLabel.get(name.toLowerCase()) ?? []),
      );
      return { ...concept, broader: [...new Set(above)] };
    });
  }

  #report(concepts: readonly Concept[]): VocabularyReport {
    const seen = new Map<string, number>();
    let labels = 0;
    for (const { label, alternatives, hidden } of concepts) {
      labels += 1 + alternatives.length + hidden.length;
      const key = phraseKey(wordsOf(label));
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    const shared = [...seen].filter(([, count]) => count > 1).map(([key]) => key);
    const loops = findLoops(this.#linked(concepts));
    return {
      files: [...this.#files],
      concepts: concepts.length,
      labels,
      definitions: concepts.filter(({ definition }) => definition !== null).length,
      loops: { count: loops.length, examples: loops.slice(0, EXAMPLES) },
      sharedLabels: { count: shared.length, examples: shared.slice(0, EXAMPLES) },
      leftOut: this.#leftOut,
      cutDefinitions: this.#cut,
    };
  }
}
