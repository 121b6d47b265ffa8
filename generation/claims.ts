/** From an answer to what can be checked of it: sentences, the passages that they cite, and their claims. English. */
import { openTagger } from '../conversation/index.ts';
import { type Range, sentences } from '../corpus/index.ts';
import { clauseOf, isYesNoQuestion, toStatement } from '../scorers/index.ts';

/** A sentence of an answer: UTF-16 offsets into it, with its marks of citation. */
export interface CitedSentence extends Range {
  /** The sentence without marks of citation and of a list. */
  text: string;
  /** Numbers of the passages cited, as they are written, each once. */
  citations: number[];
}

/** `[1]`, `[2, 3]`, `[4-6]`, as models write them. */
const MARK = /\s*\[\s*\d{1,6}(?:\s*[,;\u2013-]\s*\d{1,6})*\s*\]/g;
/** A range of more passages than this is no citation that anybody meant. */
const WIDEST = 20;
const ITEM = /^\s*(?:[-*\u2022\u2013]|\(?\d{1,3}[.)])\s+/;
/** A blank line, or the line of a next item. */
const BREAK = /\n\s*\n|\n(?=\s*(?:[-*\u2022\u2013]|\(?\d{1,3}[.)])\s)/g;

/** Sentences of an answer, in order. What is nothing but citations belongs to the sentence before. */
export function sentencesOf(answer: string): CitedSentence[] {
  const cut: Range[] = [];
  for (const { start, end } of blocksOf(answer)) {
    const marker = ITEM.exec(answer.slice(start, end))?.[0].length ?? 0;
    for (const [i, range] of sentences(answer, start + marker, end).entries()) {
      const before = cut.at(-1);
      const marks = i > 0 ? leadingMarks(answer.slice(range.start, range.end)) : 0;
      if (before === undefined || marks === 0) cut.push(range);
      else {
        before.end = range.start + marks;
        const from = before.end + /^\s*/.exec(answer.slice(before.end, range.end))![0].length;
        if (from < range.end) cut.push({ start: from, end: range.end });
      }
    }
  }
  return cut.map((range) => {
    const written = answer.slice(range.start, range.end);
    return { ...range, text: withoutMarks(written), citations: citationsIn(written) };
  });
}

/** Length of the marks, and the full stop behind them, with which a segment begins: "[1] It …" cites for what was before. */
function leadingMarks(segment: string): number {
  return (
    /^(?:\[\s*\d{1,6}(?:\s*[,;\u2013-]\s*\d{1,6})*\s*\]\s*)+[.!?]?(?=\s|$)/.exec(segment)?.[0].trimEnd()
      .length ?? 0
  );
}

function blocksOf(answer: string): Range[] {
  const blocks: Range[] = [];
  let start = 0;
  for (const { index, 0: gap } of answer.matchAll(BREAK)) {
    blocks.push({ start, end: index });
    start = index + gap.length;
  }
  return [...blocks, { start, end: answer.length }];
}

/** A text without its marks of citation. */
export function withoutMarks(text: string): string {
  return text.replace(MARK, '').replace(/\s+/g, ' ').trim();
}

function citationsIn(text: string): number[] {
  const cited = new Set<number>();
  for (const [mark] of text.matchAll(MARK)) {
    for (const part of mark.replace(/[\s[\]]/g, '').split(/[,;]/)) {
      const [first, last = first] = part.split(/[\u2013-]/).map(Number) as [number, number?];
      if (last! - first >= WIDEST || last! < first) cited.add(first).add(last!);
      else for (let number = first; number <= last!; number += 1) cited.add(number);
    }
  }
  return [...cited];
}

/** Words in which somebody speaks of himself, offers or takes leave: no document bears that out. */
const OF_THE_SPEAKER =
  /^(?:i|i'm|i’m|i've|i’ve|i'd|i’d|i'll|i’ll|sure|certainly|of course|thanks|thank you|hello|hi|sorry|let me|please|hope)\b/i;

/**
 * What a sentence claims, each as a statement by itself; none where there is nothing that documents could bear out: no
 * letter of Latin script (the models read English), a question, what announces the next lines, the speaker's own words.
 * Parts between semicolons, and around ", and" or ", but", are claims of their own where each is a whole clause. What has
 * no verb ("Two years.", "Yes.") is put into the question, where there is one, and claims nothing without.
 */
export function claimsOf(sentence: string, question?: string): string[] {
  if (!/\p{Script=Latin}|\d/u.test(sentence)) return [];
  if (/[?:]["'”’)]*$/.test(sentence) || OF_THE_SPEAKER.test(sentence)) return [];
  if (isFragment(sentence)) {
    if (question === undefined || question.trim() === '')
      return /\d|\p{Lu}\p{Ll}.*\s/u.test(sentence) ? [sentence] : [];
    const verdict = /^(?:yes|no)\b/i.test(sentence);
    return verdict && !isYesNoQuestion(question) ? [] : [toStatement(question, sentence)];
  }
  return clausesOf(sentence);
}

const SHORT = 12;

function isFragment(sentence: string): boolean {
  if (sentence.split(/\s+/).length > SHORT) return false;
  return !openTagger()(sentence).some(({ tags }) => tags.has('Verb') && !tags.has('Gerund'));
}

function clausesOf(sentence: string): string[] {
  const parts = sentence.split(/;\s+|,\s+(?:and|but)\s+/).map((part) => part.trim());
  if (parts.length < 2 || parts.some((part) => clauseOf(part) === null)) return [sentence];
  return parts;
}
