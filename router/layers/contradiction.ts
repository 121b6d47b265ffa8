import { list, quoted } from '../../common/index.ts';
import { contentStems } from '../../conversation/index.ts';
import { type Range, sentenceAt } from '../../corpus/index.ts';
import type { Act } from '../../profiles/index.ts';
import { isYesNoQuestion, type SignalReport } from '../../scorers/index.ts';
import { sidesAsked } from '../answer/asked.ts';
import type { Evidence } from '../contracts.ts';
import { clash, type Quote } from './clash.ts';
import { abstains, asks } from './found.ts';
import { sameKind } from './kinds.ts';
import { nameOf, topics, upToThree } from './suggestions.ts';
import type { Layer, LayerInput } from './types.ts';

/** A quotation's length in UTF-16 units; `quoted` cuts what goes beyond. */
const LONGEST = 160;
/** How much of a long sentence is kept before the span. */
const LEAD = 40;
/** What is looked at of a query. */
const MOST_CHARS = 600;

/** Acts whose answer is one value. Two explanations or two ways of doing a thing may both be right. */
export const ONE_VALUE: ReadonlySet<Act> = new Set(['FACT', 'QUANTITY', 'VERIFICATION', 'NOT_A_QUESTION']);
/** What something does, means or is for is said in many ways, none of which denies another. */
const DESCRIBED = /^\s*what(?:'s| is| are| does| do| did)\b.{1,200}\b(?:do|does|mean|for)[\s?.!]*$/i;
/** A contradictor whose own answer is less likely than this share of the chosen one's answers something else. */
const SHARE = 0.3;
/**
 * Entailment from which on a passage bears out its own answer. Passages that answer a like question, which are read with as
 * much confidence, mostly lie below (SQuAD).
 */
const STATED = 0.7;
/** Contradiction from which on a passage denies the chosen answer; what only gives another of several lies below (SQuAD). */
const DENIED = 0.6;

/**
 * Another source denies the chosen answer and bears out a value of its own, and C is above the limit or that source surely
 * answers the question. C alone would not do, because it weighs: what is planted repeats the question, so that the reader
 * is far surer of it than of what is merely true, and any number of sources may be planted against one. Two cases are told apart.
 * *Several things of one name*: both titles name something of the query but different things; the user can say which is
 * meant, so it is asked. *One thing, two claims*: nobody but the documents' owner can settle it, so both sides are quoted
 * with their sources and nothing is answered. Either way two quotes must clash (see `clash`), and the question must have
 * one value for an answer.
 */
export const contradiction: Layer = (input, { contradiction: { limit } }) => {
  const { report, answers } = input;
  const chosen = answers?.clusters[0];
  if (report === null || chosen === undefined || !hasOneValue(input)) return null;
  const against = opposed(input, limit);
  if (against.length === 0) return null;
  const details = report.C !== null && report.C > limit ? { measured: report.C, limit } : {};
  const sides = readings(input);
  if (sides.length > 1) {
    const said = sides.map(({ text, subject }) => `${quoted(text)} (${subject})`);
    const subjects = sides.map(({ subject }) => subject);
    const suggestions = upToThree(subjects);
    const which = `Which one is it about: ${list(subjects.map(quoted), 'or')}?`;
    const message = `The documents give different answers: ${list(said, 'and')}. ${which}`;
    return asks('contradiction', 'CONFLICTING_EVIDENCE', message, { ...details, suggestions });
  }
  const told = conflict(input, against);
  return abstains('contradiction', 'CONFLICTING_EVIDENCE', told.message, {
    ...details,
    suggestions: topics(told.passages),
  });
};

/** Whether a question has one value for an answer. */
function hasOneValue({ query, act }: LayerInput): boolean {
  return ONE_VALUE.has(act.label) && !DESCRIBED.test(query.slice(0, MOST_CHARS)) && !compares(query);
}

/** What is said of each of two things is no answer about the other. A yes or no between them is one value. */
function compares(query: string): boolean {
  return !isYesNoQuestion(query) && sidesAsked(query) !== null;
}

/** Passages (by key) that contradict the chosen answer, as `contradiction` has it, best first. */
function opposed(input: LayerInput, limit: number): string[] {
  const { C, verdicts } = input.report!;
  const denying = new Set(
    verdicts.filter(({ contradiction }) => contradiction >= DENIED).map(({ key }) => key),
  );
  const stated = statedOtherwise(input, C !== null && C > limit);
  return stated.filter((key) => denying.has(key));
}

/**
 * Passages (by key) of other sources that bear out another value, in words that clash with the chosen one's, best first:
 * those that surely answer, `likely` also those that are likely enough beside the chosen answer.
 */
export function statedOtherwise(input: LayerInput, likely: boolean): string[] {
  const { answers, report } = input;
  const own = new Set(answers!.clusters[0]!.voices.map(({ source }) => source));
  const supporting = new Set(
    report!.verdicts.filter(({ stance }) => stance === 'supports').map(({ key }) => key),
  );
  const stated = report!.rivals.filter(
    ({ key, entailment }) =>
      entailment >= STATED && !own.has(answers!.sourceOf.get(key) ?? -1) && !supporting.has(key),
  );
  const keys = stated.map(({ key }) => key);
  const sure = stated.filter((rival) => rival.sure).map(({ key }) => key);
  const clashes = new Set([...clashing(input, sure, 0, true), ...(likely ? clashing(input, keys) : [])]);
  return keys.filter((key) => clashes.has(key));
}

/**
 * Those of the passages (by key) that answer something else in words that clash with the chosen answer's; their own answer is
 * at least this share as likely as the chosen one. `sure`: all are about what is asked, whatever their words.
 */
export function clashing(
  { query, answers, evidence }: LayerInput,
  keys: readonly string[],
  leastShare = SHARE,
  sure = false,
): string[] {
  const quote = (key: string, span: { text: string; start: number; end: number }): Quote | null => {
    const passage = evidence.find(({ passageId }) => passageId === key);
    if (passage === undefined) return null;
    const { start, end } = sentenceAt(passage.text, span);
    const { title, text } = passage;
    const sentence = text.slice(start, end);
    return isCaption(sentence) ? null : { sentence, answer: span.text, title, text, sure };
  };
  const [chosen] = answers!.clusters;
  const ours = chosen!.voices.flatMap(({ key, span }) => quote(key, span) ?? []);
  return keys.filter((key) => {
    const own = answers!.byPassage.get(key);
    if (own === undefined || own.cluster === 0 || own.score < leastShare * chosen!.score) return false;
    const other = quote(key, own.span);
    return other !== null && ours.some((one) => clash(query, one, other));
  });
}

/** What stands over a table or a figure states nothing: "Default Editor Menu Bindings". */
export function isCaption(sentence: string): boolean {
  const words = sentence.trim().split(/\s+/);
  if (words.length < 3 || /[\p{N}|.!?:;]/u.test(sentence) || !/\p{Ll}/u.test(sentence)) return false;
  const long = words.filter((word) => word.length >= 4);
  return long.length > 1 && [words[0]!, ...long].every((word) => /^["“'(]*\p{Lu}/u.test(word));
}

const MOST = 3;

interface Reading {
  text: string;
  subject: string;
}

/** The chosen answer and up to two others that the titles tell apart from it; fewer than two: there is no choice. */
function readings({ query, answers, report, evidence }: LayerInput): Reading[] {
  const [chosen] = answers!.clusters;
  const asked = contentStems(query);
  const reading = ({ text, key }: Pick<SignalReport['rivals'][number], 'text' | 'key'>): Reading | null => {
    const passage = evidence.find(({ passageId }) => passageId === key);
    if (passage === undefined || passage.title.trim() === '') return null;
    const subject = nameOf(passage);
    // A title without a word of the query says where a claim stands, not what it is about.
    return [...contentStems(subject)].some((stem) => asked.has(stem)) ? { text, subject } : null;
  };
  const ours = reading({ text: chosen!.text, key: chosen!.voices[0]!.key });
  if (ours === null) return [];
  const kept = [ours];
  for (const rival of report!.rivals) {
    const theirs = sameKind(chosen!.text, rival.text) ? reading(rival) : null;
    if (theirs === null || kept.length === MOST) continue;
    if (kept.every((one) => one.text !== theirs.text && differ(one, theirs))) kept.push(theirs);
  }
  return kept;
}

/** Two titles that do not begin with the same heading: different documents, or different things of one. */
function differ(one: Reading, other: Reading): boolean {
  const head = ({ subject }: Reading): string => subject.split(' > ')[0]!.trim().toLowerCase();
  return head(one) !== head(other);
}

/** Both sides in the documents' own words, and where they stand. Our claim is quoted nowhere: no document said it. */
function conflict(
  { answers, evidence }: LayerInput,
  against: readonly string[],
): { message: string; passages: Evidence[] } {
  const ours = answers!.clusters[0]!.voices.map(({ key, span }) => said(evidence, key, span)).find(
    (side) => side !== null,
  );
  const theirs = against.flatMap((key) => said(evidence, key, answers!.byPassage.get(key)!.span) ?? []);
  const both = 'The documents contradict each other';
  const message = ours == null ? both : `${both}: ${told(ours)}, but ${told(theirs[0]!)}`;
  return {
    message: /[.!?…]"$/.test(message) ? message : `${message}.`,
    passages: [ours, ...theirs].flatMap((side) => side?.passage ?? []),
  };
}

interface Side {
  passage: Evidence;
  /** Words of the passage; null when it is not known which of them matter. */
  words: string | null;
}

/** A passage and its own sentence; null when the passage is not in the evidence. */
export function said(
  evidence: readonly Evidence[],
  key: string,
  span: { text: string; start: number; end: number } | null,
): Side | null {
  const passage = evidence.find(({ passageId }) => passageId === key);
  if (passage === undefined) return null;
  const holds = span !== null && passage.text.slice(span.start, span.end) === span.text;
  return { passage, words: holds ? sentenceAround(passage.text, span) : null };
}

/** Where a passage stands and what it says, in words. */
export function told({ passage, words }: Side): string {
  const where = `${quoted(nameOf(passage))} (${passage.source})`;
  return `${where} ${words === null ? 'speaks against it' : `says ${quoted(words)}`}`;
}

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
