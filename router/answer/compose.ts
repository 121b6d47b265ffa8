/** From a decision to answer to what is shown: quotes in the form that the act asks for. */

import { type Range, sentences } from '../../corpus/index.ts';
import type { Act } from '../../profiles/index.ts';
import type { Evidence } from '../contracts.ts';
import { pastFor } from '../retrieval/index.ts';
import {
  entryAsked,
  formAsked,
  holdsNumber,
  isQuestionAsked,
  severalAsked,
  sideEntries,
  sidesAsked,
  stepAsked,
} from './asked.ts';
import {
  answers,
  beginningOf,
  ENTRIES,
  entryNamed,
  explains,
  isListed,
  isOutdone,
  opened,
  saidOf,
  sectionNamed,
  statedIn,
} from './entries.ts';
import { excerpt, type Formed, MOST_WORDS, places, type ScoredUnit } from './excerpt.ts';
import { comparison, definition, verdict } from './forms.ts';
import { type Composing, claimOf, homeOf, judged, leaning, weigh } from './judge.ts';
import { stepAt, steps, values, withAnnouncedList } from './lists.ts';
import type { Answer, Form, Quote, SpanAnswer } from './record.ts';
import {
  goesOn,
  headingOf,
  type Source,
  sourceOf,
  textOf,
  type Unit,
  unitsOf,
  wholeWords,
  wordsIn,
} from './units.ts';

/** Passages before and behind one that the values of a list are followed into. */
const FOLLOWED = 100;
/** Characters of a claim that a verdict can be about: it is held against a quote as one. */
const LONGEST_CLAIM = 400;
const TOO_LONG =
  'This says too much at once for one yes or no: only what comes nearest is shown. Ask its sentences one by one.';

/**
 * The answer in its form. Throws what the scorers throw. What a form needs and the lease does not pay for falls back to
 * a simpler form: in the end to the first sentences of the passage.
 */
export async function compose(all: Composing): Promise<Answer> {
  const sources = sidesAsked(all.query) === null ? distinct(all.sources) : all.sources;
  const given = { ...all, sources };
  const { query, act, span } = given;
  const claim = span?.claim ?? null;
  const form = formAsked(query, act);
  if (span !== null && form === 'span' && tells(span.text, act)) {
    return { ...(await spanIn(given, span)), band: 'HIGH', claim };
  }
  const formed = await formedAs(form === 'span' ? 'passage' : form, given);
  return { ...formed, band: span === null || form === 'span' ? 'LOW' : 'HIGH', claim };
}

/** Words that only announce what answers: "the following formats". */
const ANNOUNCING =
  /^(?:the |these |those )?following(?! (?:day|week|month|year|morning|evening|night)s?\b)\P{N}*$/iu;

/** Whether a span can be an answer by itself. */
function tells(span: string, act: Act): boolean {
  return !ANNOUNCING.test(span) && (act !== 'QUANTITY' || holdsNumber(span));
}

/** Words of a unit that is the same wherever it stands; fewer are the same by chance. */
const REPEATABLE = 4;

/** Passages without those that say nothing but what one before them says: two pages often share a paragraph. */
function distinct(sources: readonly Source[]): Source[] {
  const said = new Set<string>();
  return sources.filter((source, place) => {
    if (place >= ENTRIES) return true;
    const units = unitsOf(source).filter(
      (unit) => unit.kind !== 'heading' && wordsIn(textOf(unit)) >= REPEATABLE,
    );
    if (units.length > 0 && units.every((unit) => said.has(plainly(unit)))) return false;
    for (const unit of units) said.add(plainly(unit));
    return true;
  });
}

/** A unit without what differs between two copies of it: case, white space. */
function plainly(unit: Unit): string {
  return textOf(unit).toLowerCase().replace(/\s+/g, ' ');
}

async function formedAs(form: Form, given: Composing): Promise<Formed> {
  const { query, sources } = given;
  // What was new once explains nothing.
  const isPast = pastFor(query);
  const present = sources.filter(({ evidence }) => !isPast(evidence));
  const asked = entryAsked(query);
  const near = present.slice(0, ENTRIES);
  const asking = near.find(
    (source) => isQuestionAsked(query, headingOf(source.evidence)) && answers(source, sources[0]!),
  );
  if (form === 'definition' && asked !== null && asking === undefined) {
    const entry = entryNamed(
      asked,
      near.filter((source) => explains(asked, source, sources[0]!)),
    );
    const stated = given.bound && given.span !== null ? null : statedIn(query, present);
    if (entry !== null && !isOutdone(entry, asked, given) && (stated === null || isListed(entry, sources)))
      return entry;
    if (stated !== null) {
      const home = sourceOf(stated.quotes[0]!, sources)!;
      return withAnnouncedList(stated, (await given.around(home)).flatMap(unitsOf), severalAsked(query));
    }
  }
  const sides = form === 'comparison' ? sidesAsked(query) : null;
  const units = await judged(given, form, sides ?? []);
  // What is promised is promised of the span.
  const free = form === 'definition' && !(given.bound && given.span !== null);
  const section = free ? (beginningOf(asking, present) ?? sectionNamed(asked, present)) : null;
  const best = section ?? homeOf(given, units);
  const own = units.filter(({ source }) => source === best);
  // Passages overlap, and copy each other: what stands in the best one already is not said again.
  const said = new Set(own.map(plainly));
  const others = units.filter(
    (unit) => unit.source !== best && !said.has(plainly(unit)) && !own.some((each) => overlap(each, unit)),
  );
  const onward = others.filter(({ source }) => goesOn(best, source));
  const beyond = others.filter(({ source }) => !goesOn(best, source));
  const beside = ({ source }: Unit) => answers(source, best) && !isAnother(query, source, best);
  const other = given.span === null ? beyond.filter(beside) : [];
  if (own.every(({ logit }) => logit === Number.NEGATIVE_INFINITY)) {
    return (section === null ? null : opened(section)) ?? whole(best);
  }
  const several = severalAsked(query);
  const around = async () => (await given.around(best)).flatMap(unitsOf);
  if (form === 'definition')
    return withAnnouncedList(definition(own, beyond, asked?.term ?? null), await around(), several);
  if (form === 'steps') return stepsFrom(given, own, best, other);
  if (form === 'comparison' && sides !== null) {
    const compared = comparison(
      units,
      sideEntries(sides).map((side) => ({ name: side.name, said: saidOf(side, present) })),
    );
    if (compared !== null) return compared;
  }
  if (form === 'verdict' && query.length > LONGEST_CLAIM) {
    return { ...excerpt('passage', own, onward, other), cut: TOO_LONG };
  }
  if (form === 'verdict') {
    const weighed = await weigh(given, units);
    const [mine, next, theirs] = [own, onward, other].map((some) => leaning(some, weighed));
    return verdict(weighed, claimOf(query)) ?? excerpt('passage', mine!, next, theirs);
  }
  if (several) {
    const top = own.reduce((a, b) => (b.logit > a.logit ? b : a));
    const listed = top.part?.kind === 'item' ? await valuesIn(given, best, top) : null;
    if (listed !== null) return listed;
  }
  const shown = form === 'explanation' || form === 'comparison' ? 'explanation' : 'passage';
  return withAnnouncedList(excerpt(shown, own, onward, other), await around(), several);
}

function overlap(a: Unit, b: Unit): boolean {
  const [one, two] = [places(a), places(b)];
  return a.source.evidence.docId === b.source.evidence.docId && one.start < two.end && two.start < one.end;
}

/** Whether a passage stands in a section beside that of the best, which is the one that the query names: "the default of mail_check". */
function isAnother(query: string, { evidence }: Source, { evidence: best }: Source): boolean {
  const [own, wanted] = [evidence, best].map(({ title }) => title.split(' > '));
  const [name, other] = [headingOf(best), headingOf(evidence)].map(wordsOf);
  const parent = (path: readonly string[]) => path.slice(0, -1).join(' > ');
  const asked = wordsOf(query);
  return (
    own!.length > 1 &&
    parent(own!) === parent(wanted!) &&
    name !== other &&
    asked.includes(name!) &&
    !asked.includes(other!)
  );
}

/** The words of a text between blanks, so that a name is found in it as a whole. */
function wordsOf(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? []).join(' ')} `;
}

/** A span inside the sentence that makes it true; several values one by one where several are asked for. */
async function spanIn(given: Composing, span: SpanAnswer): Promise<Formed> {
  const { query, sources } = given;
  const source = sourceOf(span, sources);
  const { claim: _, ...placed } = span;
  const asRead: Quote = { ...placed, role: 'answer' };
  if (source === undefined) {
    return { form: 'span', text: span.text, quotes: [asRead], verdict: null, cut: null };
  }
  const { text, start: offset } = source.evidence;
  const at = wholeWords(text, { start: span.start - offset, end: span.end - offset });
  if (wordsIn(span.text) > MOST_WORDS.span) return sentencesOf(source, at);
  const several = severalAsked(query) ? await valuesIn(given, source, at) : null;
  if (several !== null) return several;
  const words = {
    ...asRead,
    start: at.start + offset,
    end: at.end + offset,
    text: text.slice(at.start, at.end),
  };
  const quotes = [words, ...contextOf(words, source.evidence)];
  return { form: 'span', text: words.text, quotes, verdict: null, cut: null };
}

/** The values that the span is one of, also where their list begins or goes on in other passages. */
async function valuesIn(
  { around }: Composing,
  source: Source,
  at: { start: number; end: number },
): Promise<Formed | null> {
  const passages = await around(source, FOLLOWED);
  const home = passages.indexOf(source);
  const own = unitsOf(source);
  const lists = new Set(own.flatMap(({ part }) => part?.list ?? []));
  const onward = (step: 1 | -1): { units: Unit[]; whole: boolean } => {
    const units: Unit[] = [];
    for (let i = 1; i <= FOLLOWED; i += 1) {
      const passage = passages[home + i * step];
      const more = passage === undefined ? [] : unitsOf(passage);
      if (!more.some(({ part }) => part?.list != null && lists.has(part.list))) return { units, whole: true };
      units.splice(step === 1 ? units.length : 0, 0, ...more);
    }
    return { units, whole: false };
  };
  const [before, after] = [onward(-1), onward(1)];
  return values([...before.units, ...own, ...after.units], source, at, before.whole && after.whole);
}

/** Where the span is more than one would call a span: the whole units that it stands in. */
function sentencesOf(source: Source, { start, end }: { start: number; end: number }): Formed {
  const around = unitsOf(source).filter((unit) => unit.start < end && start < unit.end);
  return excerpt(
    'passage',
    around.map((unit) => ({ ...unit, logit: 0 })),
  );
}

/** The sentences that a span stands in; none where it is all of them. */
function contextOf({ start, end }: Range, { docId, passageId, text, start: offset }: Evidence): Quote[] {
  const around = sentences(text, 0, text.length).filter(
    (each) => each.end + offset > start && each.start + offset < end,
  );
  const [first, last] = [around[0], around.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (first.start + offset >= start && last.end + offset <= end) return [];
  const whole = text.slice(first.start, last.end);
  return [
    { text: whole, docId, passageId, start: first.start + offset, end: last.end + offset, role: 'context' },
  ];
}

/** The steps of the list around the best unit, also where it begins or goes on in a neighbouring passage; one where one is asked. */
async function stepsFrom(
  { query, around }: Composing,
  own: readonly ScoredUnit[],
  home: Source,
  other: readonly ScoredUnit[],
): Promise<Formed> {
  const asked = stepAsked(query);
  const all = asked === null ? [] : (await around(home, Number.POSITIVE_INFINITY)).flatMap(unitsOf);
  const one = asked === null ? null : stepAt(all, asked);
  if (one !== null) return one;
  const units = (await around(home)).flatMap((source) => {
    const scored = own.filter((unit) => unit.source.evidence.passageId === source.evidence.passageId);
    return scored.length > 0
      ? scored
      : unitsOf(source).map((unit) => ({ ...unit, logit: Number.NEGATIVE_INFINITY }));
  });
  return steps(units, home.evidence.passageId, other);
}

/** The passage as it stands, where none of its units could be judged. */
function whole(source: Source): Formed {
  const units = unitsOf(source).map((unit) => ({ ...unit, logit: 0 }));
  return excerpt('passage', units.length > 0 ? units : [unmarked(source)]);
}

function unmarked(source: Source): ScoredUnit {
  return { start: 0, end: source.evidence.text.length, source, kind: 'sentence', part: null, logit: 0 };
}
