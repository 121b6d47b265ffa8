/** From a decision to answer to what is shown: quotes in the form that the act asks for. */

import { logit } from '../../common/index.ts';
import { contentStems, shareHeld } from '../../conversation/index.ts';
import { type Range, sentences, withoutNumber } from '../../corpus/index.ts';
import type { Act } from '../../profiles/index.ts';
import { isYesNoQuestion, type Scorers, toStatement } from '../../scorers/index.ts';
import type { Lease } from '../budget/index.ts';
import type { Evidence } from '../contracts.ts';
import { rankLogit } from '../retrieval/index.ts';
import {
  type AskedEntry,
  asksAs,
  entryAsked,
  formAsked,
  holdsBeside,
  holdsNumber,
  isBeside,
  type Side,
  severalAsked,
  shareBeside,
  sideEntries,
  sidesAsked,
  stepAsked,
} from './asked.ts';
import { excerpt, type Formed, MOST_WORDS, type ScoredUnit } from './excerpt.ts';
import { comparison, definition, entryOf, opening, verdict, type Weighed } from './forms.ts';
import { stepAt, steps, values, withAnnouncedList } from './lists.ts';
import type { Answer, Form, Quote, SpanAnswer } from './record.ts';
import { type Source, textOf, type Unit, unitsOf, wholeWords, wordsIn } from './units.ts';

/** Everything that an answer is made of. */
export interface Composing {
  query: string;
  act: Act;
  /** The span that was decided to be the answer; null where a passage is answer enough and its words are not sure. */
  span: SpanAnswer | null;
  /** Whether what is quoted has to hold the span, because something is promised for it. */
  bound: boolean;
  /** Passages that may be quoted: that of the span, or the one that answers, then the others, best first. */
  sources: readonly Source[];
  /**
   * A passage with its neighbours in the document, in order: a list may begin before it and go on after it. `reach`: how
   * many before and behind it; left out, a few.
   */
  around: (source: Source, reach?: number) => Source[];
  /** What judging units may cost: `rerankPairs`, `contextTokens`, `nliPairs`. */
  lease: Lease;
  scorers: Pick<Scorers, 'rerank' | 'nli' | 'countTokens'>;
  signal?: AbortSignal | undefined;
}

/** Passages whose units are judged. */
const JUDGED = 2;
/** Least relevance of a passage that answers. */
export const ANSWERS = 0.5;
/** Where the first passage has little relevance itself, this share of it is enough for a second beside it. */
const NEARLY = 0.5;
/** Passages among which the entry of a term is looked for, and those whose sentences are looked at that name what is compared. */
const ENTRIES = 8;
const NAMING = 8;
/** Characters that may lie between two passages of one text: white space, a bullet. */
const GAP = 8;
/** Passages before and behind one that the values of a list are followed into. */
const FOLLOWED = 100;
/** Units that are put to the entailment model for a verdict. */
const WEIGHED = 6;
/** Logits that units gain which hold the span: the reader, asked about the passage as a whole, says that it is there. */
const SPAN_BONUS = { bound: 8, free: 1 } as const;
/** Logits that a unit gains which surely says yes or no, where a verdict is due. */
const STANCE_BONUS = 2;
/** Logits that a unit with a number gains where a quantity is asked for. */
const NUMBER_BONUS = 2;
/** Logits that a passage gains whose heading is the very question. */
const HEADED = 5;
/**
 * Logits that code loses: it holds many words, and few of them answer, fewest where no step is asked for. A sentence that
 * announces it takes it along.
 */
const CODE = { steps: 2, other: 5 } as const;
/** Characters of a claim that a verdict can be about: it is held against a quote as one. */
const LONGEST_CLAIM = 400;
const TOO_LONG =
  'This says too much at once for one yes or no: only what comes nearest is shown. Ask its sentences one by one.';
/** Characters of a unit that are judged. */
const LONGEST = 1_500;

/**
 * The answer in its form. Throws what the scorers throw. What a form needs and the lease does not pay for falls back to
 * a simpler form: in the end to the first sentences of the passage.
 */
export async function compose(given: Composing): Promise<Answer> {
  const { query, act, span } = given;
  const claim = span?.claim ?? null;
  const form = formAsked(query, act);
  if (span !== null && form === 'span' && (act !== 'QUANTITY' || holdsNumber(span.text))) {
    return { ...spanIn(given, span), band: 'HIGH', claim };
  }
  const formed = await formedAs(form === 'span' ? 'passage' : form, given);
  return { ...formed, band: span === null || form === 'span' ? 'LOW' : 'HIGH', claim };
}

async function formedAs(form: Form, given: Composing): Promise<Formed> {
  const { query, sources } = given;
  const asked = entryAsked(query);
  if (form === 'definition' && asked !== null) {
    const entry = entryNamed(asked, sources.slice(0, ENTRIES));
    if (entry !== null) return entry;
  }
  const sides = form === 'comparison' ? sidesAsked(query) : null;
  const units = await judged(given, form, sides ?? []);
  const best = homeOf(given, units);
  const own = units.filter(({ source }) => source === best);
  const onward = units.filter(({ source }) => goesOn(best, source));
  const beyond = units.filter(({ source }) => source !== best && !goesOn(best, source));
  const other = given.span === null ? beyond.filter(({ source }) => answers(source, best)) : [];
  if (own.every(({ logit }) => logit === Number.NEGATIVE_INFINITY)) return whole(sources[0]!);
  const several = severalAsked(query);
  const near = () => given.around(best).flatMap(unitsOf);
  if (form === 'definition')
    return withAnnouncedList(definition(own, beyond, asked?.term ?? null), near(), several);
  if (form === 'steps') return stepsFrom(given, own, best, other);
  if (form === 'comparison' && sides !== null) {
    const compared = comparison(
      units,
      sideEntries(sides).map((side) => ({ name: side.name, said: saidOf(side, sources) })),
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
    const listed = top.part?.kind === 'item' ? valuesIn(given, best, top) : null;
    if (listed !== null) return listed;
  }
  const shown = form === 'explanation' || form === 'comparison' ? 'explanation' : 'passage';
  return withAnnouncedList(excerpt(shown, own, onward, other), near(), several);
}

/** Whether a passage answers likelier than not, or nearly as likely as the best, by the cross-encoder's reading of it all. */
function answers({ evidence: { scores } }: Source, { evidence: best }: Source): boolean {
  return (scores.relevance ?? 0) >= Math.min(ANSWERS, NEARLY * (best.scores.relevance ?? 1));
}

/** Whether a passage goes on where the other ends, in the same section or entry. */
function goesOn({ evidence: one }: Source, { evidence: next }: Source): boolean {
  return (
    next.docId === one.docId &&
    next.title === one.title &&
    next.start > one.start &&
    next.start - one.end <= GAP
  );
}

/** A span inside the sentence that makes it true; several values one by one where several are asked for. */
function spanIn(given: Composing, span: SpanAnswer): Formed {
  const { query, sources } = given;
  const source = sources.find(({ evidence }) => evidence.passageId === span.passageId);
  const { claim: _, ...placed } = span;
  const asRead: Quote = { ...placed, role: 'answer' };
  if (source === undefined) {
    return { form: 'span', text: span.text, quotes: [asRead], verdict: null, cut: null };
  }
  const { text, start: offset } = source.evidence;
  const at = wholeWords(text, { start: span.start - offset, end: span.end - offset });
  if (wordsIn(span.text) > MOST_WORDS.span) return sentencesOf(source, at);
  const several = severalAsked(query) ? valuesIn(given, source, at) : null;
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
function valuesIn({ around }: Composing, source: Source, at: { start: number; end: number }): Formed | null {
  const passages = around(source, FOLLOWED);
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

/** The entry of the term that is asked about, in a passage that holds what else the query names: first of all in its title. */
export function entryNamed(asked: AskedEntry, sources: readonly Source[]): Formed | null {
  const about = sources
    .map((source) => ({ source, share: shareBeside(asked, source.evidence) }))
    .filter(({ share }) => isBeside(share))
    .sort((a, b) => b.share - a.share)
    .map(({ source }) => source);
  const titled = about.filter(({ evidence: { title } }) => holdsBeside(asked, { title, text: '' }));
  const wanted = new Set([asked.term, asked.whole].map(folded));
  const named = (name: string) => name.split(/[,;|]\s*/).some((each) => wanted.has(folded(each)));
  for (const source of new Set([...titled, ...about])) {
    const found = entryOf(unitsOf(source), named);
    if (found !== null) return found;
  }
  return null;
}

/** What is said of a thing that is compared: its entry, else how its section begins. */
function saidOf(side: Side, sources: readonly Source[]): Formed | null {
  const entry = entryNamed(side, sources);
  if (entry !== null) return entry;
  const names = new Set([side.name, side.term].map(folded));
  const section = sources
    .filter(({ evidence }) => names.has(folded(headingOf(evidence))))
    .sort((a, b) => a.evidence.start - b.evidence.start)[0];
  return section === undefined ? null : opening(unitsOf(section).filter(({ kind }) => kind !== 'heading'));
}

/** The innermost heading of a passage, without its number. */
function headingOf({ title }: Evidence): string {
  return withoutNumber(title.split(' > ').at(-1)!);
}

/** A term without what differs between a question and an entry: case (but of an option), quotes, and an option's argument. */
function folded(term: string): string {
  const bare = term
    .replace(/\s*¶\s*$/u, '')
    .replace(/^[\s"'`‘’“”(]+/u, '')
    .replace(/(?:[=[<(].*)?$/su, '')
    .replace(/["'`‘’“”:.,\s]+$/u, '');
  return bare.startsWith('-') ? bare.split(/\s/, 1)[0]! : bare.toLowerCase();
}

/**
 * The units of the first passages, each judged alone, as far as the lease pays for them; the rest is worth nothing. Where
 * sides are compared, what names one in further passages comes behind.
 */
async function judged(given: Composing, form: Form, sides: readonly string[]): Promise<ScoredUnit[]> {
  const { query, act, span, bound, sources, lease, scorers, signal } = given;
  const [first, ...others] = sources.slice(0, JUDGED);
  const onward = given.around(first!).filter((source) => goesOn(first!, source));
  const looked = [first!, ...onward, ...others.filter((source) => !goesOn(first!, source))];
  const beyond = sources.slice(0, NAMING).filter((source) => sides.length > 0 && !looked.includes(source));
  const naming = beyond
    .flatMap(unitsOf)
    .filter((unit) => sides.some((side) => textOf(unit).toLowerCase().includes(side.toLowerCase())));
  const shown = [...looked.map(unitsOf), naming].map((units) =>
    units.filter(({ kind }) => kind !== 'heading'),
  );
  const asked = new Map<Unit, { passage: string; title: string }>();
  for (const unit of shown.flatMap((units) => nearestFirst(given, units))) {
    const headings = unit.source.evidence.title.split(' > ');
    const [title] = headings;
    const passage = `${headings.at(-1)!}: ${textOf(unit).slice(0, LONGEST)}`;
    const tokens = scorers.countTokens(passage);
    if (lease.left('rerankPairs') < 1 || lease.left('contextTokens') < tokens) break;
    lease.spend('rerankPairs', 1);
    lease.spend('contextTokens', tokens);
    asked.set(unit, { passage, title: title! });
  }
  const relevances = await scorers.rerank(
    [...asked.values()].map(({ passage, title }) => ({ query, passage, title })),
    { signal },
  );
  const logits = new Map([...asked.keys()].map((unit, i) => [unit, relevances[i]!.logit]));
  return shown.flat().map((unit) => {
    const holds = span !== null && holdsSpan(unit, span);
    const lent = holds ? SPAN_BONUS[bound ? 'bound' : 'free'] : 0;
    const number = act === 'QUANTITY' && holdsNumber(textOf(unit)) ? NUMBER_BONUS : 0;
    const logit = logits.get(unit) ?? Number.NEGATIVE_INFINITY;
    return {
      ...unit,
      logit: logit + lent + number - (unit.kind === 'code' ? CODE[form === 'steps' ? 'steps' : 'other'] : 0),
    };
  });
}

/** The units in their order where all can be judged, else what holds the span and most of the query's words first. */
function nearestFirst({ query, span, lease }: Composing, units: readonly Unit[]): readonly Unit[] {
  if (units.length <= lease.left('rerankPairs')) return units;
  const stems = contentStems(query);
  const held = new Map(
    units.map((unit) => {
      const share = shareHeld(stems, contentStems(textOf(unit).slice(0, LONGEST)));
      return [unit, span !== null && holdsSpan(unit, span) ? 2 : share];
    }),
  );
  return [...units].sort((a, b) => held.get(b)! - held.get(a)!);
}

function holdsSpan({ source: { evidence }, start, end }: Unit, span: SpanAnswer): boolean {
  const [from, to] = [start + evidence.start, end + evidence.start];
  return evidence.passageId === span.passageId && from < span.end && span.start < to;
}

/** The passage to quote: the span's where there is one, else the one whose rank and best unit together are highest. */
function homeOf({ query, span, sources }: Composing, units: readonly ScoredUnit[]): Source {
  if (span !== null) {
    return sources.find(({ evidence }) => evidence.passageId === span.passageId) ?? sources[0]!;
  }
  const worth = (source: Source) => {
    const own = units.filter((unit) => unit.source === source).map(({ logit }) => logit);
    const { relevance, fused } = source.evidence.scores;
    if (own.length === 0 || relevance === null) return Number.NEGATIVE_INFINITY;
    const p = Math.min(1 - 1e-9, Math.max(1e-9, relevance));
    const headed = asksAs(query, headingOf(source.evidence)) ? HEADED : 0;
    return rankLogit({ logit: logit(p) }, { fused }) + Math.max(...own) + headed;
  };
  return sources
    .slice(0, JUDGED)
    .reduce((best, each) => (worth(each) > worth(best) ? each : best), sources[0]!);
}

/** The steps of the list around the best unit, also where it begins or goes on in a neighbouring passage; one where one is asked. */
function stepsFrom(
  { query, around }: Composing,
  own: readonly ScoredUnit[],
  home: Source,
  other: readonly ScoredUnit[],
): Formed {
  const asked = stepAsked(query);
  const one = asked === null ? null : stepAt(around(home, Number.POSITIVE_INFINITY).flatMap(unitsOf), asked);
  if (one !== null) return one;
  const units = around(home).flatMap((source) => {
    const scored = own.filter((unit) => unit.source.evidence.passageId === source.evidence.passageId);
    return scored.length > 0
      ? scored
      : unitsOf(source).map((unit) => ({ ...unit, logit: Number.NEGATIVE_INFINITY }));
  });
  return steps(units, home.evidence.passageId, other);
}

function claimOf(query: string): string {
  return isYesNoQuestion(query) ? toStatement(query, 'yes') : query;
}

/** The best units with what they say of the claim, as far as the lease pays for them. */
async function weigh(
  { query, lease, scorers, signal }: Composing,
  units: readonly ScoredUnit[],
): Promise<Weighed[]> {
  const best = [...units]
    .sort((a, b) => b.logit - a.logit)
    .slice(0, Math.min(WEIGHED, lease.left('nliPairs')));
  lease.spend('nliPairs', best.length);
  const hypothesis = claimOf(query);
  const scores = await scorers.nli(
    best.map((unit) => ({ premise: premiseOf(unit), hypothesis })),
    { signal },
  );
  return best.map((unit, i) => {
    const { entailment, contradiction } = scores[i]!;
    return { ...unit, entailment, contradiction };
  });
}

/** Units that say yes or no gain by it, though none does so clearly. */
function leaning(units: readonly ScoredUnit[], weighed: readonly Weighed[]): ScoredUnit[] {
  return units.map((unit) => {
    const said = weighed.find(({ source, start }) => source === unit.source && start === unit.start);
    if (said === undefined) return unit;
    return { ...unit, logit: unit.logit + STANCE_BONUS * Math.max(said.entailment, said.contradiction) };
  });
}

function premiseOf(unit: Unit): string {
  const title = unit.source.evidence.title.slice(0, 200).trim();
  const text = textOf(unit).slice(0, LONGEST);
  return title === '' ? text : `${title}. ${text}`;
}

/** The passage as it stands, where none of its units could be judged. */
function whole(source: Source): Formed {
  const units = unitsOf(source).map((unit) => ({ ...unit, logit: 0 }));
  return excerpt('passage', units.length > 0 ? units : [unmarked(source)]);
}

function unmarked(source: Source): ScoredUnit {
  return { start: 0, end: source.evidence.text.length, source, kind: 'sentence', part: null, logit: 0 };
}
