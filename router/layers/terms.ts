import { list, quoted } from '../../common/index.ts';
import type { Evidence } from '../contracts.ts';
import type { Concept, TermMatch } from '../vocabulary/index.ts';
import type { LayerFinding } from './finding.ts';
import { asks, notes } from './found.ts';
import { chosenIn, different, readingsOf } from './readings.ts';
import { similarWords, upToThree } from './suggestions.ts';
import { termAsked } from './term-asked.ts';
import type { Layer, LayerInput, Retrieved } from './types.ts';

/**
 * The vocabulary is consulted before anything else. A query that asks what a term means is answered by the concept that
 * it names (`EVIDENCE`, with its definition). Where several concepts bear the name it is asked which is meant, and a
 * term that the vocabulary lacks is asked about, with names that the vocabulary or the documents really have. Queries
 * that ask for anything else pass: a vocabulary need not know every word of a question.
 */
export const vocabulary: Layer = (input, settings) => {
  const asked = termOf(input);
  if (asked === null) return null;
  const { text, name, readings } = asked;
  if (name === null) return unknown(input, settings.vocabulary.unknownTerm, text);
  const [only] = readings;
  if (readings.length > 1) {
    const names = upToThree(readingsOf(input.vocabulary!, readings));
    const choice = list(names.map(quoted), 'or');
    const message = `The vocabulary has several meanings of ${quoted(name)}. Which one do you mean: ${choice}?`;
    return asks('vocabulary', 'AMBIGUOUS_TERM', message, { suggestions: names });
  }
  if (only!.definition === null) return null;
  const message = `${quoted(only!.label)} is defined in ${only!.source}: ${quoted(only!.definition)}`;
  return { ...notes('vocabulary', 'EVIDENCE', message), definition: evidenceOf(only!, only!.definition) };
};

interface Asked {
  /** The term asked about, without the reading that was chosen for it. */
  text: string;
  /** As the query writes it, when the vocabulary has it; else null. */
  name: string | null;
  /** What it may mean there; a reading that was chosen leaves no other. */
  readings: Concept[];
}

/** The term whose meaning a query asks for, and what the vocabulary has of it; null when it asks for something else. */
function termOf(input: Retrieved): Asked | null {
  if (input.vocabulary === null || input.identifiers.length > 0) return null;
  const chosen = chosenIn(input.vocabulary, input.query);
  const asked = askedTerm(chosen === null ? input : { ...input, query: chosen.query });
  if (asked === null) return null;
  const { text, match } = asked;
  if (match === null) return { text, name: null, readings: [] };
  const meant = match.concepts.filter((concept) => chosen?.concepts.includes(concept) ?? true);
  return { text, name: match.text, readings: different(meant.length > 0 ? meant : match.concepts) };
}

/**
 * A definition as a passage of its own: the file stands for the document, the concept for the place in it. Nothing
 * retrieved or scored it, `fused` is 1 because nothing comes before it.
 */
function evidenceOf({ id, label, source }: Concept, text: string): Evidence {
  return {
    docId: source,
    passageId: `${source}#${id}`,
    start: 0,
    end: text.length,
    text,
    title: label,
    genre: 'definition',
    source,
    position: id,
    branches: [],
    scores: {
      lexical: null,
      dense: null,
      fused: 1,
      relevance: null,
      margin: null,
      entailment: null,
      contradiction: null,
    },
  };
}

/**
 * A plain "What is a …?" counts where the act agrees or the vocabulary has the term, and the term alone where it has it.
 */
function askedTerm(input: Retrieved): { text: string; match: TermMatch | null } | null {
  const asked = termAsked(input.query);
  const text = asked?.text ?? input.query;
  const match = wholeMatch(input, text);
  const isAsked = match !== null || (asked !== null && (asked.sure || input.act.label === 'DEFINITION'));
  return isAsked ? { text, match } : null;
}

/** The match that is the whole of what was asked; a part of it is another term. */
function wholeMatch({ vocabulary: terms }: Retrieved, asked: string): TermMatch | null {
  const [first, ...more] = terms!.find(asked);
  const letters = /[\p{L}\p{N}]/u;
  const outside = first === undefined ? '' : asked.slice(0, first.start) + asked.slice(first.end);
  return first === undefined || more.length > 0 || letters.test(outside.replace(/^['’]s/, '')) ? null : first;
}

function unknown(
  input: LayerInput,
  mode: 'ask' | 'ask-unless-documented' | 'pass',
  asked: string,
): LayerFinding | null {
  if (mode === 'pass' || (mode === 'ask-unless-documented' && documented(input, asked))) return null;
  const labels = input.vocabulary!.nearest(asked, 3);
  const parts = input.vocabulary!.find(asked).flatMap(({ concepts }) => concepts.map(({ label }) => label));
  const words = similarWords(input.coverage.unknown, input.evidence);
  const names = upToThree([...labels, ...parts, ...words]);
  const message = `The vocabulary does not have ${quoted(asked)}.`;
  const question =
    names.length === 0 ? 'What do you mean by it?' : `Did you mean ${list(names.map(quoted), 'or')}?`;
  return asks('vocabulary', 'UNKNOWN_TERM', `${message} ${question}`, { suggestions: names });
}

/** Whether a passage found holds the term word for word, case aside. */
function documented({ evidence }: LayerInput, asked: string): boolean {
  const flat = (text: string): string => ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
  const wanted = flat(asked);
  return evidence
    .slice(0, 20)
    .some(({ title, text }) => flat(`${title} ${text.slice(0, 8_000)}`).includes(wanted));
}
