/** Answers that are lists, from units: steps to follow, values one by one. Pure: what is quoted stands in the units. */
import {
  announces,
  beside,
  bestRun,
  type Formed,
  joined,
  MOST_WORDS,
  places,
  rowsWorth,
  type ScoredUnit,
  sizeOf,
  WORTH,
  where,
} from './excerpt.ts';
import type { Quote } from './record.ts';
import { quoteOf, type Source, sameList, textOf, type Unit, wordsIn } from './units.ts';

/** Items that are listed at most. */
const MOST_ITEMS = 30;

/**
 * What to do: the run of units that answers best, of a table its rows that do, or, where it reaches into a list, announces one
 * or a numbered one follows it, the whole of that, with the sentence that introduces it. `units`: of the passage `home` and of
 * those around it, in order. `other`: of another passage that is shown beside it where there is no list.
 */
export function steps(units: readonly ScoredUnit[], home: string, other: readonly ScoredUnit[] = []): Formed {
  const own = units.filter(({ source }) => source.evidence.passageId === home);
  const run = rowsWorth(own, MOST_WORDS.steps) ?? bestRun(own, WORTH.steps, MOST_WORDS.steps);
  const items = run.filter(({ part }) => part?.kind === 'item');
  const best = items.reduce<ScoredUnit | null>((a, b) => (a === null || b.logit > a.logit ? b : a), null);
  const announced = best ?? announcedBy(run.at(-1)!, units);
  const at = announced ?? numberedBehind(run.at(-1)!, units);
  const listed = at === null ? null : listAround(units, at);
  if (at === null || listed === null) {
    const shown = [...run, ...beside('steps', other)];
    const quotes = shown.map((unit) =>
      quoteOf(unit, unit.part?.kind === 'item' || unit.kind === 'code' ? 'item' : 'answer'),
    );
    return { form: 'steps', text: joined(shown), quotes, verdict: null, cut: null };
  }
  return stepsOf(announced === null ? { ...listed, introduction: run } : listed, at);
}

/** The first item behind a unit that ends in a colon and is the last of its passage; null where there is none. */
function announcedBy(unit: Unit, units: readonly Unit[]): Unit | null {
  const next = announces(unit) ? behind(unit, units) : undefined;
  return next?.part?.kind === 'item' && next.part.list !== null ? next : null;
}

/** The first item of a numbered list that follows a unit in its section; null where none does. */
function numberedBehind(unit: Unit, units: readonly Unit[]): Unit | null {
  const next = behind(unit, units);
  const { part, source } = next ?? {};
  const follows = part?.kind === 'item' && part.ordered && part.position === 1;
  return follows && source!.evidence.title === unit.source.evidence.title ? next! : null;
}

function behind(unit: Unit, units: readonly Unit[]): Unit | undefined {
  return units[units.findIndex((each) => sameUnit(each, unit)) + 1];
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
    text: [...(introduction.length > 0 ? [joined(introduction)] : []), ...lines].join('\n'),
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

function begins({ part }: Unit): boolean {
  return part?.position == null || part.position <= 1;
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
