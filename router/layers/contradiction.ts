import type { Evidence } from '../contracts.ts';
import { sameKind } from '../decision/kinds.ts';
import { quoted, topics } from '../decision/suggestions.ts';
import { abstains, asks } from './found.ts';
import type { Layer, LayerInput } from './types.ts';

/**
 * Independent sources contradict each other (C above the limit). Two cases are told apart. *Two things of one name*: the
 * rival answer is entailed by its own source and that source is about something else, by title; the user can say which
 * is meant, so it is asked. *One thing, two claims*: nobody but the documents' owner can settle it, so both sides are
 * quoted with their sources and nothing is answered.
 */
export const contradiction: Layer = (input, { contradiction: { limit } }) => {
  const { report, answers } = input;
  const chosen = answers?.clusters[0];
  if (report === null || chosen === undefined || report.C === null || report.C <= limit) return null;
  const ours = passageOf(input, chosen.voices[0]!.key);
  const rivals = report.rivals.filter(({ text }) => sameKind(chosen.text, text));
  const elsewhere = rivals.filter(({ key }) => {
    const theirs = passageOf(input, key);
    return ours !== null && theirs !== null && subjectOf(ours) !== subjectOf(theirs);
  });
  const details = { measured: report.C, limit };
  if (elsewhere.length > 0) {
    const options = [chosen.text, ...elsewhere.map(({ text }) => text)].slice(0, 3);
    const subjects = [ours, ...elsewhere.map(({ key }) => passageOf(input, key))].map(
      (p) => topics([p!])[0] ?? '',
    );
    const choice = options.map((text, i) => `${quoted(text)} (${subjects[i]})`).join(' or ');
    const message = `The documents answer for several things of this name: ${choice}. Which one is meant?`;
    return asks('contradiction', 'CONFLICTING_EVIDENCE', message, { ...details, suggestions: options });
  }
  const against =
    rivals[0]?.key ??
    [...report.verdicts]
      .filter(({ stance, key }) => stance === 'contradicts' && answers!.byPassage.get(key)?.cluster !== 0)
      .sort((a, b) => b.contradiction - a.contradiction)[0]?.key;
  const theirs = against === undefined ? null : passageOf(input, against);
  const theirWords = against === undefined ? undefined : answers!.byPassage.get(against)?.span.text;
  const sides = [side(ours, chosen.text), side(theirs, theirWords)].filter((each) => each !== null);
  const message =
    sides.length < 2
      ? 'The documents contradict each other.'
      : `The documents contradict each other: ${sides.join(', but ')}.`;
  const suggestions = topics([ours, theirs].filter((each) => each !== null));
  return abstains('contradiction', 'CONFLICTING_EVIDENCE', message, { ...details, suggestions });
};

function passageOf({ evidence }: LayerInput, key: string): Evidence | null {
  return evidence.find(({ passageId }) => passageId === key) ?? null;
}

/** What a passage is about, as far as its document says so: the first heading, else the document. */
function subjectOf({ title, docId }: Evidence): string {
  const first = title.split(' > ')[0]!.trim().toLowerCase();
  return first === '' ? docId : first;
}

function side(passage: Evidence | null, words: string | undefined): string | null {
  if (passage === null || words === undefined) return null;
  return `${quoted(topics([passage])[0] ?? passage.docId)} says ${quoted(words)} (${passage.source})`;
}
