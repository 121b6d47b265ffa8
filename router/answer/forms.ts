/** Each form of answer from scored units. Pure: what is quoted stands in the units, nothing is generated but labels. */
import { list, quoted } from '../layers/index.ts';
import { contentStems, shareHeld } from '../state/index.ts';
import type { Answer, Quote } from './record.ts';
import { quoteOf, sameList, textOf, type Unit, wordsIn } from './units.ts';

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
  const announces = (unit: ScoredUnit | undefined) => unit !== undefined && /[:：]\s*$/u.test(textOf(unit));
  const before = units[first - 1];
  if (before?.kind === 'term' || announces(before)) first -= 1;
  while (last + 1 < units.length && (announces(units[last]) || units[last]!.kind === 'term')) {
    if (sizeOf(units.slice(first, last + 2)) > words) break;
    last += 1;
  }
  return units.slice(first, last + 1);
}

/** Units put together as they are read: sentences of one paragraph on one line, all else on lines of its own. */
function joined(units: readonly Unit[]): string {
  let text = '';
  for (const [i, unit] of units.entries()) {
    const before = units[i - 1];
    const shown = unit.kind === 'code' ? textOf(unit) : textOf(unit).replace(/\s+/g, ' ');
    if (before === undefined) text = shown;
    else if (before.kind === 'term') text += `: ${shown}`;
    else if (unit.kind === 'sentence' && before.kind === 'sentence' && unit.part === before.part)
      text += ` ${shown}`;
    else text += `\n${shown}`;
  }
  return text;
}

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
  const run = [...readOn(form, own, onward), ...beside(form, other)];
  return {
    form,
    text: joined(run),
    quotes: run.map((unit) => quoteOf(unit, 'answer')),
    verdict: null,
    cut: null,
  };
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

function sizeOf(units: readonly Unit[]): number {
  return units.reduce((sum, unit) => sum + wordsIn(textOf(unit)), 0);
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
 * What to do: the run of units that answers best, or, where it reaches into a list, the whole of that, with the sentence that
 * introduces it. `units`: of the passage and of those that go on with its list, in order. `other`: of another passage that
 * is shown beside it where there is no list.
 */
export function steps(units: readonly ScoredUnit[], home: string, other: readonly ScoredUnit[] = []): Formed {
  const own = units.filter(({ source }) => source.evidence.passageId === home);
  const run = bestRun(own, WORTH.steps, MOST_WORDS.steps);
  const items = run.filter(({ part }) => part?.kind === 'item');
  const best = items.reduce<ScoredUnit | null>((a, b) => (a === null || b.logit > a.logit ? b : a), null);
  const listed = best === null ? null : listAround(units, best);
  if (listed === null) {
    const shown = [...run, ...beside('steps', other)];
    const quotes = shown.map((unit) =>
      quoteOf(unit, unit.part?.kind === 'item' || unit.kind === 'code' ? 'item' : 'answer'),
    );
    return { form: 'steps', text: joined(shown), quotes, verdict: null, cut: null };
  }
  return stepsOf(listed);
}

interface Listed {
  introduction: Unit[];
  items: Unit[][];
  ordered: boolean;
}

/** The items of the list that a unit stands in, what is nested in them included; null where it stands in none. */
function listAround(units: readonly ScoredUnit[], at: ScoredUnit): Listed | null {
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
  const introduces = before?.kind === 'sentence' && before.part?.kind !== 'heading';
  return { introduction: introduces ? [before] : [], items, ordered: part.ordered };
}

/** Where a unit stands in its document. */
function places({ source, start, end }: Unit): { start: number; end: number } {
  return { start: start + source.evidence.start, end: end + source.evidence.start };
}

function stepsOf({ introduction, items, ordered }: Listed): Formed {
  const kept: Unit[][] = [];
  let words = sizeOf(introduction);
  for (const item of items) {
    const size = sizeOf(item);
    if (kept.length > 0 && (words + size > MOST_WORDS.steps || kept.length === MOST_ITEMS)) break;
    kept.push(item);
    words += size;
  }
  const lines = kept.map(
    (item, i) => `${ordered ? `${item[0]!.part!.position ?? i + 1}.` : '-'} ${joined(item)}`,
  );
  const [opening, closing] = [kept[0]![0]!, kept.at(-1)!.at(-1)!];
  const missing = items.length - kept.length;
  return {
    form: 'steps',
    text: [...introduction.map((unit) => joined([unit])), ...lines].join('\n'),
    quotes: [
      ...introduction.map((unit) => quoteOf(unit, 'introduction')),
      ...kept.flat().map((unit) => quoteOf(unit, 'item')),
    ],
    verdict: null,
    cut:
      missing > 0
        ? `What follows item ${closing.part?.position ?? kept.length} is not shown; the list goes on in ${where(closing)}.`
        : begins(opening)
          ? null
          : `The list begins before what is shown, in ${where(opening)}.`,
  };
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

/**
 * Several values, each a quote of its own: the items of the list that the span stands in, else what an enumeration in the
 * span holds; null where there is but one. `at`: the span, offsets into the passage.
 */
export function values(units: readonly Unit[], at: { start: number; end: number }): Formed | null {
  const home = units.find((unit) => unit.start < at.end && at.start < unit.end);
  if (home === undefined) return null;
  const { part, source } = home;
  const listed = part?.kind === 'item' ? shortItems(units.filter((unit) => sameList(unit, home))) : [];
  const found =
    listed.length > 1 ? listed : enumerated(source.evidence.text, at).map((range) => ({ ...home, ...range }));
  if (found.length < 2) return null;
  const distinct = found.filter((unit, i) => found.findIndex((other) => sameText(other, unit)) === i);
  const kept = distinct.slice(0, MOST_VALUES);
  const missing = distinct.length - kept.length;
  return {
    form: 'list',
    text: kept.map((unit) => `- ${joined([unit])}`).join('\n'),
    quotes: kept.map((unit) => quoteOf(unit, 'item')),
    verdict: null,
    cut: missing === 0 ? null : `${missing} of ${distinct.length} values are not shown.`,
  };
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
