/** Definition, comparison and verdict from scored units. Pure: what is quoted stands in the units, nothing is generated but labels. */

import { list, quoted } from '../../common/index.ts';
import { contentStems, shareHeld } from '../../conversation/index.ts';
import { sectionNames } from '../../corpus/index.ts';
import { inWords, sameStems } from './asked.ts';
import {
  bestRun,
  type Formed,
  joined,
  MOST_WORDS,
  places,
  type ScoredUnit,
  WORTH,
  where,
  worth,
} from './excerpt.ts';
import type { Quote } from './record.ts';
import { quoteOf, textOf, type Unit, wordsIn } from './units.ts';

/** Least words beside the name in a row whose last cell is empty: the type of a column and a dot say nothing. */
const LEAST_SAID = 3;

/** Whether a row of a table says anything of what its first cell names. */
function saysNothing(row: string): boolean {
  const cells = row.split(' | ').slice(1);
  const blank = !/[\p{L}\p{N}]/u.test(cells.at(-1) ?? '-');
  return cells.length > 1 && blank && wordsIn(cells.join(' ')) < LEAST_SAID;
}

/** The entry of a term, whole up to the limit: units of the passage from the term on that belong to it. */
export function entryOf(units: readonly Unit[], named: (term: string) => boolean): Formed | null {
  const first = units.findIndex(
    ({ kind, part }) => kind === 'term' && part !== null && named(part.term ?? ''),
  );
  if (first < 0) return boldEntry(units, named);
  const { list: number, position } = units[first]!.part!;
  const end = Math.max(
    ...units
      .filter(({ part }) => part !== null && part.list === number && part.position === position)
      .map(({ part }) => part!.end),
  );
  const belonging = units.slice(first).filter((unit) => places(unit).start < end);
  return limited(belonging);
}

/** "Term: …" in bold at the head of a paragraph, an item or a row, where it begins. */
function boldEntry(units: readonly Unit[], named: (term: string) => boolean): Formed | null {
  const first = units.find(
    ({ part, source }) =>
      part !== null &&
      part.kind !== 'heading' &&
      part.start >= source.evidence.start &&
      named(part.term ?? ''),
  );
  if (first === undefined || (first.part!.kind === 'row' && saysNothing(textOf(first)))) return null;
  return limited(units.filter(({ part }) => part === first.part));
}

function limited(units: readonly Unit[], most: number = MOST_WORDS.definition): Formed {
  const kept: Unit[] = [];
  let words = 0;
  for (const unit of units) {
    const size = wordsIn(textOf(unit));
    const said = kept.some(({ kind }) => kind !== 'term');
    if (said && words + size > most) break;
    kept.push(unit);
    words += size;
  }
  const missing = units.length - kept.length;
  return {
    form: 'definition',
    text: joined(kept),
    quotes: kept.map((unit) => quoteOf(unit, 'answer')),
    verdict: null,
    cut: missing === 0 ? null : `The entry goes on in ${where(kept.at(-1)!)}.`,
  };
}

/** What says what something is: "X is a …", "X means …"; what it is not says that of everything else. The words before it are the term. */
const DEFINING =
  /^(.{1,160}?),?\s(?:(?:is|are|was|were)(?! not\b)|means|mean|denotes|refers to|refer to|stands for|is called|consists of|allows|lets|provides?)\s/iu;
/** Least share of the words before "is" that the term has where they begin otherwise: with more something else is defined. */
const LEAST_ABOUT = 0.25;

/** Whether a text names the term, and little else, or begins with it. */
function isAbout(text: string, term: string): boolean {
  const [stems, own] = [contentStems(term), contentStems(text)];
  if (stems.size === 0 || shareHeld(stems, own) < 1) return false;
  return stems.size >= LEAST_ABOUT * own.size || beginsWith(text, term);
}

/** Whether the first content words of a text are those of the term. */
function beginsWith(text: string, term: string): boolean {
  const [stems, own] = [contentStems(term), [...contentStems(text)]];
  return stems.size > 0 && own.slice(0, stems.size).filter((stem) => stems.has(stem)).length === stems.size;
}

/** What something is called, as far as it is one name. */
const CALLED = /\b(?:is|are) (?:called|termed|known as|referred to as) ([^.,;:()]{1,80})/giu;

/** Whether a unit is a sentence that says what the term is. */
export function defines(unit: Unit, term: string): boolean {
  const text = textOf(unit).slice(0, 400);
  const subject = DEFINING.exec(text)?.[1];
  const called = [...text.matchAll(CALLED)].some(([, name]) => sameStems(name!, term));
  return called || (subject !== undefined && isAbout(subject, term)) || glosses(text, term);
}

/** Words before a thing by which it is one of several, or is where or when something else is. */
const NOT_ITSELF =
  /^(?:if|when|where|while|unless|because|which|what|no|not|neither|this|that|these|those|my|your|our|his|her|their|its|in|on|at|for|with|by|to|from|of)\b/i;
/** What tells of a thing, named alone before it, what it is. */
const STATING =
  /^["'“‘(]?(?:(?:an?|the)\s)?(.{1,80}?)["'”’)]?\s(?:(?:is|are) (?:an?|one of|what|used (?:to|for|as)|the (?!only\b|same\b|problem\b|one\b))\b|(?:means?|denotes?|defines?|describes?|represents?|allows?|lets?)\b|refers? to\b|stands? for\b|consists? of\b|(?:occurs?|happens?) (?:when|if)\b)/iu;

/** Whether a sentence is about the term and nothing beside it, and says what it is: "Flapping occurs when …". */
export function states(sentence: string, term: string): boolean {
  if (/[?:]\s*$/.test(sentence)) return false;
  const subject = STATING.exec(sentence.slice(0, 200))?.[1];
  return subject !== undefined && !NOT_ITSELF.test(subject) && sameStems(subject, term);
}

/** Whether a sentence begins with the term and says what it, or what is called after it, is: "Zone objects are used to …". */
export function introduces(sentence: string, term: string): boolean {
  const subject = DEFINING.exec(sentence.slice(0, 400))?.[1];
  return subject !== undefined && !NOT_ITSELF.test(subject) && beginsWith(subject, term);
}

/** The first sentence that says it, with what follows; of several passages the first that has one. */
export function statement(
  passages: readonly (readonly Unit[])[],
  says: (sentence: string) => boolean,
): Formed | null {
  for (const units of passages) {
    const first = units.findIndex((unit) => unit.kind === 'sentence' && says(textOf(unit)));
    if (first >= 0) return limited(units.slice(first));
  }
  return null;
}

/**
 * The sentence that says what the term is, of the passage that answers (`own`) or else of another (`other`), else the first of
 * a section of its name, with what follows it; where there is none of these, what answers best.
 */
export function definition(
  own: readonly ScoredUnit[],
  other: readonly ScoredUnit[],
  term: string | null,
): Formed {
  const wanted = term ?? '';
  const best = (units: readonly ScoredUnit[]) =>
    units
      .filter((unit) => defines(unit, wanted))
      .reduce<ScoredUnit | null>((a, b) => (a === null || b.logit > a.logit ? b : a), null);
  const first = own.find(({ kind }) => kind === 'sentence');
  const names = sectionNames(first?.source.evidence.title ?? '');
  const named = names.some((name) => isAbout(name, inWords(wanted))) ? first : undefined;
  const start = best(own) ?? best(other) ?? named ?? null;
  if (start === null) return { ...limited(bestRun(own, WORTH.definition, MOST_WORDS.definition)), cut: null };
  const home = own.includes(start) ? own : other.filter(({ source }) => source === start.source);
  return { ...limited(home.slice(home.indexOf(start))), cut: null };
}

/** Whether a text is an entry whose markup was lost: its term, then a sentence of its own ("anna Anna's Not Nearly APT. …"). */
function glosses(text: string, term: string): boolean {
  const behind = text.slice(term.length);
  return term !== '' && text.startsWith(term) && /^\s+\p{Lu}/u.test(behind);
}

/** What is compared, with its entry or the beginning of its section where it has one. */
interface Compared {
  name: string;
  said: Formed | null;
}

/** Sentences about both that are shown at most. */
const DIRECT = 2;

/**
 * What is said of each of two things: its entry where it has one, else the best unit that names it alone; before these the
 * best units that name both, of one passage. A side of which nothing is said is named in `cut`; null where nothing names
 * either.
 */
export function comparison(units: readonly ScoredUnit[], sides: readonly Compared[]): Formed | null {
  const stems = sides.map(({ name }) => contentStems(name));
  const named = (unit: ScoredUnit, side: number) => {
    const text = `${textOf(unit)} ${unit.part?.term ?? ''}`;
    if (stems[side]!.size === 0) return text.includes(sides[side]!.name);
    return shareHeld(stems[side]!, contentStems(text)) === 1;
  };
  const byLogit = [...units].sort((a, b) => b.logit - a.logit);
  const both = byLogit.filter((unit) => sides.every((_, side) => named(unit, side)));
  const direct = directly(both);
  const quotes: Quote[] = direct.map((unit) => quoteOf(unit, 'answer'));
  const lines = direct.length === 0 ? [] : [joined(direct)];
  const missing: string[] = [];
  for (const [side, { name, said }] of sides.entries()) {
    const own = byLogit.find((unit) => named(unit, side) && !both.includes(unit));
    if (said !== null) {
      quotes.push(...said.quotes.map((quote) => ({ ...quote, role: 'side' as const, of: name })));
      lines.push(`${name}: ${said.text.replace(/\n/g, ' ')}`);
    } else if (own !== undefined) {
      const run = behind(units, own, (unit) => sides.some((_, each) => each !== side && named(unit, each)));
      quotes.push(...run.map((unit) => quoteOf(unit, 'side', name)));
      lines.push(`${name}: ${joined(run).replace(/\n/g, ' ')}`);
    } else if (direct.length === 0) missing.push(name);
  }
  if (quotes.length === 0) return null;
  const without = missing.length === 0 ? null : `Nothing was found on ${list(missing.map(quoted), 'and')}.`;
  const cut = without ?? sides.flatMap(({ said }) => said?.cut ?? [])[0] ?? null;
  return { form: 'comparison', text: lines.join('\n'), quotes, verdict: null, cut };
}

/** The best sentences that name both sides, in the order of their passage; `both` best first. */
function directly(both: readonly ScoredUnit[]): ScoredUnit[] {
  const kept: ScoredUnit[] = [];
  let words = 0;
  for (const unit of both) {
    words += wordsIn(textOf(unit));
    const beside = unit.source === both[0]!.source && words <= MOST_WORDS.explanation;
    if (kept.length === 0 || (beside && kept.length < DIRECT)) kept.push(unit);
  }
  return kept.sort((a, b) => a.start - b.start);
}

/** How a section begins, as far as a side may go. */
export function opening(units: readonly Unit[]): Formed | null {
  return units.length === 0 ? null : limited(units, MOST_WORDS.side);
}

/** A unit with what follows it in its part of the passage, as far as a side may go and until the other is named. */
function behind(
  units: readonly ScoredUnit[],
  first: ScoredUnit,
  ends: (unit: ScoredUnit) => boolean,
): ScoredUnit[] {
  const at = units.indexOf(first);
  const run = [first];
  let words = wordsIn(textOf(first));
  for (const unit of units.slice(at + 1)) {
    words += wordsIn(textOf(unit));
    if (unit.source !== first.source || unit.part !== first.part) break;
    if (words > MOST_WORDS.side || ends(unit)) break;
    run.push(unit);
  }
  return run;
}

/** A unit with what the entailment model says of the claim under it. */
export interface Weighed extends ScoredUnit {
  entailment: number;
  contradiction: number;
}

/**
 * Least probability at which a quote entails or denies a claim, weighed by how well it answers the question: what is beside
 * the point says neither yes nor no, whatever its words entail.
 */
const STANCE = 0.7;

/**
 * Yes, no, or it depends, with the quotes that say so; null where no quote says either clearly. The best of each side by
 * its probability times what the quote is worth as an answer; "depends" where both sides reach it in different quotes, or
 * where what supports it states a condition that the claim does not.
 */
export function verdict(units: readonly Weighed[], claim: string): Formed | null {
  const best = (of: (unit: Weighed) => number) =>
    units
      .map((unit) => ({ unit, sure: of(unit) * worth(unit) }))
      .reduce<{ unit: Weighed; sure: number } | null>(
        (a, b) => (a === null || b.sure > a.sure ? b : a),
        null,
      );
  const yes = best(({ entailment }) => entailment);
  const no = best(({ contradiction }) => contradiction);
  if (yes === null || no === null || Math.max(yes.sure, no.sure) < STANCE) return null;
  if (yes.unit !== no.unit && Math.min(yes.sure, no.sure) >= STANCE) {
    return said('depends', [quoteOf(yes.unit, 'supports'), quoteOf(no.unit, 'denies')], [yes.unit, no.unit]);
  }
  if (no.sure > yes.sure) return said('no', [quoteOf(no.unit, 'denies')], [no.unit]);
  const open = CONDITION.test(textOf(yes.unit)) && !CONDITION.test(claim);
  return said(open ? 'depends' : 'yes', [quoteOf(yes.unit, 'supports')], [yes.unit]);
}

const CONDITION = /\b(?:only if|only when|unless|provided that|depends on|except (?:if|when))\b/i;
const WORDS = { yes: 'Yes.', no: 'No.', depends: 'It depends.' } as const;

function said(word: keyof typeof WORDS, quotes: Quote[], units: readonly Unit[]): Formed {
  const text = [WORDS[word], ...units.map((unit) => joined([unit]))].join('\n');
  return { form: 'verdict', text, quotes, verdict: word, cut: null };
}
