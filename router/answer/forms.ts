/** Each form of answer from scored units. Pure: what is quoted stands in the units, nothing is generated but labels. */
import { list, quoted } from '../layers/index.ts';
import { contentStems, shareHeld } from '../state/index.ts';
import type { Answer, Quote } from './record.ts';
import { quoteOf, type Source, sameList, textOf, type Unit, wordsIn } from './units.ts';

/** A unit with what the cross-encoder says of it alone: the logit of its being an answer to the question. */
export interface ScoredUnit extends Unit {
  logit: number;
}

/** What a form makes; the caller adds band and claim. */
export type Formed = Pick<Answer, 'form' | 'text' | 'quotes' | 'verdict' | 'cut'>;

/** Words that are shown at most, by form; beyond it whole units are left out, and of lists and entries `cut` says so. */
export const MOST_WORDS = {
  span: 12,
  definition: 60,
  explanation: 80,
  passage: 60,
  steps: 150,
  side: 45,
} as const;

/**
 * What a unit must be worth to be taken along, in sigmoids of half its logit. Set by hand, after a look at 50 open questions of
 * a television's manual and at the answers to the open halves on two others; not fitted.
 */
const WORTH = { steps: 0.05, explanation: 0.1, passage: 0.1, definition: 0.1 } as const;

function worth({ logit }: ScoredUnit): number {
  return 1 / (1 + Math.exp(-logit / 2));
}

/**
 * The run of neighbouring units that answers best: around the best of them, the largest sum of what they are worth above
 * `least` each, of at most `words` words, never empty. Units in the order of their document, at least one.
 */
export function bestRun(units: readonly ScoredUnit[], least: number, words: number): ScoredUnit[] {
  const sizes = units.map((unit) => wordsIn(textOf(unit)));
  const top = units.reduce((a, unit, i) => (unit.logit > units[a]!.logit ? i : a), 0);
  let best = { sum: Number.NEGATIVE_INFINITY, from: top, to: top };
  for (let from = 0; from <= top; from += 1) {
    let sum = 0;
    let size = 0;
    for (let to = from; to < units.length; to += 1) {
      size += sizes[to]!;
      if (size > words && to > from) break;
      sum += worth(units[to]!) - least;
      if (to >= top && sum > best.sum) best = { sum, from, to };
    }
  }
  return withAnnounced(units, best.from, best.to, words);
}

/** A sentence that ends in a colon takes what it announces along; what is announced takes the sentence before it along. */
function withAnnounced(units: readonly ScoredUnit[], from: number, to: number, words: number): ScoredUnit[] {
  let [first, last] = [from, to];
  const before = units[first - 1];
  if (before !== undefined && (before.kind === 'term' || announces(before))) first -= 1;
  while (last + 1 < units.length && (announces(units[last]!) || units[last]!.kind === 'term')) {
    if (sizeOf(units.slice(first, last + 2)) > words) break;
    last += 1;
  }
  return units.slice(first, last + 1);
}

function announces(unit: Unit): boolean {
  return /[:：]\s*$/u.test(textOf(unit));
}

/** Units put together as they are read: sentences of one paragraph on one line, all else on lines of its own. */
function joined(units: readonly Unit[]): string {
  let text = '';
  for (const [i, unit] of units.entries()) {
    const before = units[i - 1];
    const shown = unit.kind === 'code' ? textOf(unit) : textOf(unit).replace(/\s+/g, ' ');
    if (before === undefined) text = shown;
    else if (before.kind === 'term') text += announces(before) ? ` ${shown}` : `: ${shown}`;
    else if (unit.kind === 'sentence' && before.kind === 'sentence' && unit.part === before.part)
      text += ` ${shown}`;
    else text += `\n${shown}`;
  }
  return text;
}

/** Share of what the best row is worth from which on another answers beside it. */
const ROW_SHARE = 0.8;

/**
 * The words of a passage that answer best, as they stand there. `onward`: of what goes on with it; `other`: of another passage
 * that is shown beside it.
 */
export function excerpt(
  form: 'explanation' | 'passage',
  own: readonly ScoredUnit[],
  onward: readonly ScoredUnit[] = [],
  other: readonly ScoredUnit[] = [],
): Formed {
  const rows = rowsWorth(own, MOST_WORDS[form]);
  const run = [...(rows ?? readOn(form, own, onward)), ...beside(form, other)];
  const unread = (unit: ScoredUnit) => unit.kind === 'row' && unit.logit === Number.NEGATIVE_INFINITY;
  const isPart = rows !== null && rows.length > 1 && own.some(unread);
  return {
    form,
    text: joined(run),
    quotes: run.map((unit) => quoteOf(unit, 'answer')),
    verdict: null,
    cut: isPart ? `The table in ${where(run[0]!)} has more rows than were looked at.` : null,
  };
}

/** Where a row answers best: it and those of its table that answer as well, in order. What lies between them does not. */
function rowsWorth(units: readonly ScoredUnit[], words: number): ScoredUnit[] | null {
  const best = units.reduce((a, b) => (b.logit > a.logit ? b : a));
  if (best.kind !== 'row' || best.logit === Number.NEGATIVE_INFINITY) return null;
  const kept = new Set<ScoredUnit>();
  let sum = 0;
  for (const unit of [...units].sort((a, b) => b.logit - a.logit)) {
    if (unit.kind !== 'row' || !sameList(unit, best) || worth(unit) < ROW_SHARE * worth(best)) continue;
    sum += wordsIn(textOf(unit));
    if (kept.size > 0 && sum > words) break;
    kept.add(unit);
  }
  return units.filter((unit) => kept.has(unit));
}

/** Logits that a unit loses which only goes on with the passage that answers. */
const ONWARD = 1;

/** The best run, on into what follows where it reaches the end of its passage; or of what follows, where that answers better. */
function readOn(
  form: 'explanation' | 'passage',
  own: readonly ScoredUnit[],
  onward: readonly ScoredUnit[],
): ScoredUnit[] {
  const [least, most] = [WORTH[form], MOST_WORDS[form]];
  const highest = (some: readonly ScoredUnit[]) => Math.max(...some.map(({ logit }) => logit));
  if (highest(onward) - ONWARD > highest(own)) return bestRun([...own, ...onward], least, most);
  const run = bestRun(own, least, most);
  if (run.at(-1) !== own.at(-1)) return run;
  let words = sizeOf(run);
  for (const unit of onward) {
    words += wordsIn(textOf(unit));
    if (words > most || worth(unit) < least) break;
    run.push(unit);
  }
  return run;
}

/** The best run of another passage; none where it would be longer than what stands beside something may be. */
function beside(form: keyof typeof WORTH, other: readonly ScoredUnit[]): ScoredUnit[] {
  if (other.length === 0) return [];
  const run = bestRun(other, WORTH[form], MOST_WORDS.side);
  return sizeOf(run) <= MOST_WORDS.side ? run : [];
}

/** Items that are listed at most. */
const MOST_ITEMS = 30;

/**
 * What to do: the run of units that answers best, or, where it reaches into a list or announces one, the whole of that, with
 * the sentence that introduces it. `units`: of the passage `home` and of those around it, in order. `other`: of another
 * passage that is shown beside it where there is no list.
 */
export function steps(units: readonly ScoredUnit[], home: string, other: readonly ScoredUnit[] = []): Formed {
  const own = units.filter(({ source }) => source.evidence.passageId === home);
  const run = bestRun(own, WORTH.steps, MOST_WORDS.steps);
  const items = run.filter(({ part }) => part?.kind === 'item');
  const best = items.reduce<ScoredUnit | null>((a, b) => (a === null || b.logit > a.logit ? b : a), null);
  const at = best ?? announcedBy(run.at(-1)!, units);
  const listed = at === null ? null : listAround(units, at);
  if (at === null || listed === null) {
    const shown = [...run, ...beside('steps', other)];
    const quotes = shown.map((unit) =>
      quoteOf(unit, unit.part?.kind === 'item' || unit.kind === 'code' ? 'item' : 'answer'),
    );
    return { form: 'steps', text: joined(shown), quotes, verdict: null, cut: null };
  }
  return stepsOf(listed, at);
}

/** The first item behind a unit that ends in a colon and is the last of its passage; null where there is none. */
function announcedBy(unit: Unit, units: readonly Unit[]): Unit | null {
  const next = announces(unit) ? units[units.findIndex((each) => sameUnit(each, unit)) + 1] : undefined;
  return next?.part?.kind === 'item' && next.part.list !== null ? next : null;
}

function sameUnit(a: Unit, b: Unit): boolean {
  return a.source === b.source && a.start === b.start && a.end === b.end;
}

/**
 * What is quoted, with the whole list that it announces and of which it holds no items or the first alone; as it is where it
 * announces none. `units`: of the passage and of those around it, in order; `several`: whether values are asked for, of
 * which more are shown than of an excerpt.
 */
export function withAnnouncedList(formed: Formed, units: readonly Unit[], several: boolean): Formed {
  const shown = formed.quotes.map((quote) => units.find((unit) => isQuoted(unit, quote)));
  const last = shown.findLastIndex((unit) => unit !== undefined && announces(unit));
  const first = last < 0 ? null : announcedBy(shown[last]!, units);
  const listed = first === null ? null : listAround(units, first);
  if (first === null || listed === null || shown.includes(undefined)) return formed;
  const behind = shown.slice(last + 1);
  if (!behind.every((unit) => listed.items.some((item) => item.includes(unit!)))) return formed;
  const kept = shown.slice(0, last + 1) as Unit[];
  const most = several
    ? MOST_WORDS.steps
    : MOST_WORDS[formed.form === 'definition' ? 'definition' : 'explanation'];
  const { text, quotes, cut } = stepsOf({ ...listed, introduction: [] }, first, most - sizeOf(kept));
  const form = several && formed.form === 'passage' ? 'list' : formed.form;
  const all = [...formed.quotes.slice(0, last + 1), ...quotes];
  return { ...formed, form, text: `${joined(kept)}\n${text}`, quotes: all, cut };
}

function isQuoted(unit: Unit, { passageId, start, end }: Quote): boolean {
  const { evidence } = unit.source;
  return (
    evidence.passageId === passageId &&
    unit.start + evidence.start === start &&
    unit.end + evidence.start === end
  );
}

/** The item of an ordered list that has this number, with what introduces the list; null where it is not among the units. */
export function stepAt(units: readonly Unit[], position: number): Formed | null {
  const at = units.find(
    ({ part }) => part?.kind === 'item' && part.list !== null && part.ordered && part.position === position,
  );
  const listed = at === undefined ? null : listAround(units, at);
  if (at === undefined || listed === null) return null;
  return {
    ...stepsOf({ ...listed, items: listed.items.filter(([one]) => one!.part === at.part) }, at),
    cut: null,
  };
}

interface Listed {
  introduction: Unit[];
  items: Unit[][];
  ordered: boolean;
}

/** The items of the list that a unit stands in, what is nested in them included; null where it stands in none. */
function listAround(units: readonly Unit[], at: Unit): Listed | null {
  const { part } = at;
  if (part === null || part.list === null || part.kind !== 'item') return null;
  const first = units.findIndex((unit) => sameList(unit, at));
  let last = units.findLastIndex((unit) => sameList(unit, at));
  const end = Math.max(...units.filter((unit) => sameList(unit, at)).map((unit) => unit.part!.end));
  while (last + 1 < units.length && places(units[last + 1]!).end <= end) last += 1;
  const items: Unit[][] = [];
  for (const unit of units.slice(first, last + 1)) {
    const isNew = sameList(unit, at) && (items.length === 0 || unit.part !== items.at(-1)![0]!.part);
    if (isNew) items.push([unit]);
    else items.at(-1)!.push(unit);
  }
  const before = units[first - 1];
  const near = before?.source === units[first]!.source || (before !== undefined && announces(before));
  const introduces = near && before?.kind === 'sentence' && before.part?.kind !== 'heading';
  return { introduction: introduces ? [before] : [], items, ordered: part.ordered };
}

/** Where a unit stands in its document. */
function places({ source, start, end }: Unit): { start: number; end: number } {
  return { start: start + source.evidence.start, end: end + source.evidence.start };
}

/** The items from the first on, or, where that would end before the item `at`, from there on. */
function stepsOf(
  { introduction, items, ordered }: Listed,
  at: Unit,
  most: number = MOST_WORDS.steps,
): Formed {
  const left = most - sizeOf(introduction);
  const asked = items.findIndex((item) => item.some((unit) => sameUnit(unit, at)));
  const whole = fitting(items, left);
  const from = asked < whole ? 0 : asked;
  const kept =
    from === 0 ? items.slice(0, whole) : items.slice(from, from + fitting(items.slice(from), left));
  const lines = kept.map(
    (item, i) => `${ordered ? `${item[0]!.part!.position ?? from + i + 1}.` : '-'} ${joined(item)}`,
  );
  const [opening, closing] = [kept[0]![0]!, kept.at(-1)!.at(-1)!];
  const after =
    from + kept.length < items.length
      ? `What follows item ${closing.part?.position ?? from + kept.length} is not shown; the list goes on in ${where(closing)}.`
      : null;
  const before =
    from > 0 || !begins(opening) ? `The list begins before what is shown, in ${where(opening)}.` : null;
  return {
    form: 'steps',
    text: [...introduction.map((unit) => joined([unit])), ...lines].join('\n'),
    quotes: [
      ...introduction.map((unit) => quoteOf(unit, 'introduction')),
      ...kept.flat().map((unit) => quoteOf(unit, 'item')),
    ],
    verdict: null,
    cut: before === null ? after : after === null ? before : `${before} ${after}`,
  };
}

/** How many of the items are shown where so many words may be; one at least. */
function fitting(items: readonly Unit[][], most: number): number {
  let words = 0;
  for (const [i, item] of items.entries()) {
    words += sizeOf(item);
    if (i > 0 && (words > most || i === MOST_ITEMS)) return i;
  }
  return items.length;
}

function sizeOf(units: readonly Unit[]): number {
  return units.reduce((sum, unit) => sum + wordsIn(textOf(unit)), 0);
}

function begins({ part }: Unit): boolean {
  return part?.position == null || part.position <= 1;
}

function where({ source: { evidence } }: Unit): string {
  return quoted(evidence.title === '' ? evidence.docId : evidence.title);
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

/** "Term: …" in bold at the head of a paragraph, an item or a row. */
function boldEntry(units: readonly Unit[], named: (term: string) => boolean): Formed | null {
  const first = units.find(({ part }) => part !== null && part.kind !== 'heading' && named(part.term ?? ''));
  return first === undefined ? null : limited(units.filter(({ part }) => part === first.part));
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

/** What says what something is: "X is a …", "X means …". The words before it are the term. */
const DEFINING =
  /^(.{1,160}?),?\s(?:is|are|was|were|means|mean|denotes|refers to|refer to|stands for|is called|consists of|allows|lets)\s/iu;
/**
 * The sentence that says what the term is, else the first of a section of its name, with what follows it; where there is
 * neither, what answers best.
 */
export function definition(units: readonly ScoredUnit[], term: string | null): Formed {
  const stems = contentStems(term ?? '');
  const about = (text: string) => stems.size > 0 && shareHeld(stems, contentStems(text)) === 1;
  const first = units.find(({ kind }) => kind === 'sentence');
  const defining = units.filter((unit) => {
    const subject = DEFINING.exec(textOf(unit).slice(0, 400))?.[1];
    return subject !== undefined && about(subject);
  });
  const named = first !== undefined && about(first.source.evidence.title.split(' > ').at(-1)!) ? first : null;
  const start =
    defining.reduce<ScoredUnit | null>((a, b) => (a === null || b.logit > a.logit ? b : a), null) ?? named;
  const run =
    start === null
      ? bestRun(units, WORTH.definition, MOST_WORDS.definition)
      : units.slice(units.indexOf(start));
  return { ...limited(run), cut: null };
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
const STANCE = 0.6;

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

/** What parts the values of an enumeration. */
const BETWEEN = /,\s+(?:and |or )?|;\s+|\s+(?:and|or)\s+/g;
/** Values that are shown at most. */
const MOST_VALUES = 20;
/** Words of a value on average at most. */
const VALUE_WORDS = 8;

/** Words of a line of code on average at most, to be a value. */
const LINE_WORDS = 15;

/**
 * Several values, each a quote of its own: the items of the list that the span stands in, the lines of its code, else what an
 * enumeration in the span holds; null where there is but one. `units`: of the passage `source` and of those around it, in
 * order, as far as `whole` the lists of the passage go; `at`: the span, offsets into the passage.
 */
export function values(
  units: readonly Unit[],
  source: Source,
  at: { start: number; end: number },
  whole: boolean,
): Formed | null {
  const home = units.find((unit) => unit.source === source && unit.start < at.end && at.start < unit.end);
  if (home === undefined) return null;
  const items = home.part?.kind === 'item' ? units.filter((unit) => sameList(unit, home)) : [];
  const listed = items.length > 0 ? shortItems(items) : home.kind === 'code' ? linesOf(home) : [];
  const found =
    listed.length > 1 ? listed : enumerated(source.evidence.text, at).map((range) => ({ ...home, ...range }));
  if (found.length < 2) return null;
  const distinct = found.filter((unit, i) => found.findIndex((other) => sameText(other, unit)) === i);
  const asked = distinct.findIndex((unit) => sameText(unit, home));
  const from = asked < MOST_VALUES ? 0 : asked;
  const kept = distinct.slice(from, from + MOST_VALUES);
  const missing = distinct.length - kept.length;
  const isOpen = found === listed && items.length > 0 && !whole;
  return {
    form: 'list',
    text: kept.map((unit) => `- ${joined([unit])}`).join('\n'),
    quotes: kept.map((unit) => quoteOf(unit, 'item')),
    verdict: null,
    cut: isOpen
      ? `More values are in ${where(home)} than are shown.`
      : missing > 0
        ? `${missing} of ${distinct.length} values are not shown.`
        : null,
  };
}

/** The lines of code that say something; none where they are no values. */
function linesOf(code: Unit): Unit[] {
  const found: Unit[] = [];
  let at = code.start;
  for (const line of textOf(code).split('\n')) {
    const start = at + line.length - line.trimStart().length;
    if (/[\p{L}\p{N}]/u.test(line)) found.push({ ...code, start, end: start + line.trim().length });
    at += line.length + 1;
  }
  const words = found.reduce((sum, unit) => sum + wordsIn(textOf(unit)), 0);
  return words <= found.length * LINE_WORDS ? found : [];
}

/** One unit an item; none where the items are sentences and no values. */
function shortItems(units: readonly Unit[]): Unit[] {
  const items = new Map<Unit['part'], Unit>();
  for (const unit of units) {
    const before = items.get(unit.part);
    items.set(unit.part, before === undefined ? unit : { ...before, end: unit.end });
  }
  const found = [...items.values()];
  return sizeOf(found) <= found.length * VALUE_WORDS ? found : [];
}

function sameText(a: Unit, b: Unit): boolean {
  return textOf(a).trim().toLowerCase() === textOf(b).trim().toLowerCase();
}

function enumerated(
  text: string,
  { start, end }: { start: number; end: number },
): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let from = start;
  for (const between of text.slice(start, end).matchAll(BETWEEN)) {
    const to = start + between.index;
    if (to > from) found.push({ start: from, end: to });
    from = to + between[0].length;
  }
  if (found.length === 0) return [];
  if (end > from) found.push({ start: from, end });
  return found;
}
