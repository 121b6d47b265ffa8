import { ambiguitySignals, danglingPronoun, halfComparison } from './ambiguity.ts';
import { constraintsIn } from './constraints.ts';
import { knownVariables } from './known.ts';
import {
  ambiguity,
  answerability,
  confidence,
  cosineConflict,
  coverage,
  incompleteness,
  resolutionRate,
} from './measures.ts';
import { namesIn } from './mentions.ts';
import { missingVariables } from './missing.ts';
import type { InformationState } from './record.ts';
import { requiredPieces } from './required.ts';
import type { StateInput, Tagger } from './types.ts';
import { contentStems } from './words.ts';

/** Passages looked at and how much of each, so that time does not grow with the documents. */
const PASSAGES = 20;
const PASSAGE_CHARS = 3_000;
/** Passages whose names are looked for in the query. */
const NAMING = 8;
/** Passages compared by the cosine form; the paper takes the first four. */
const COMPARED = 4;

/**
 * S(q) = (V_known, V_missing, C), Eq. 1, with the measures over it, at turn 0 (Eq. 4). Pure but for the tagger.
 * English. Time is bounded whatever the length of query, history and documents.
 */
export function informationState(input: StateInput, tag: Tagger): InformationState {
  const { query, evidence, report } = input;
  const words = tag(query);
  const read = evidence
    .slice(0, PASSAGES)
    .map(({ title, text }) => `${title}\n${text.slice(0, PASSAGE_CHARS)}`);
  const passages = read.map(contentStems);
  const names = namesOf(evidence);
  const known = knownVariables(input, words, passages, names, tag);
  const found = ambiguitySignals(query, words, known);
  const missing = missingVariables(
    input,
    known,
    found,
    danglingPronoun(words, query).words,
    halfComparison(words, query).words,
    words,
  );
  for (const text of requiredPieces(input, known, words, tag)) {
    missing.push({ kind: 'required', text, recoverable: true });
  }
  const grounded = known.filter((one) => one.grounded).length;
  const conf = confidence(evidence.map(({ scores }) => scores.relevance));
  const covered = coverage(contentStems(input.coverage.terms.join(' ')), passages);
  const amb = ambiguity(found.signals);
  return {
    known,
    missing,
    constraints: constraintsIn(query),
    turn: 0,
    incompleteness: incompleteness(grounded, missing.length),
    resolutionRate: resolutionRate(grounded, missing.length),
    confidence: conf,
    coverage: covered,
    ambiguity: { score: amb, ...found },
    conflict: {
      contradiction: report.C,
      cosine: cosineConflict((input.vectors ?? []).slice(0, COMPARED)),
    },
    answerability: answerability({
      confidence: conf,
      coverage: covered,
      ambiguity: amb,
      conflict: report.C,
    }),
  };
}

/** Folded names that the passages write with capitals inside their sentences. */
function namesOf(evidence: StateInput['evidence']): Set<string> {
  const names = new Set<string>();
  for (const { text } of evidence.slice(0, NAMING)) {
    for (const { text: name } of namesIn(text)) {
      names.add(name.toLowerCase());
      // "Heron Vane of Ostrel Quay" may be one name or two.
      for (const part of name.split(/ \p{Ll}+ /u)) names.add(part.toLowerCase());
    }
  }
  return names;
}
