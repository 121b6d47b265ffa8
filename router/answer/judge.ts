/** What the models say of an answer's units, as far as the lease pays for them: which answer best, which say yes or no. */

import { boundedLogit } from '../../common/index.ts';
import { contentStems, shareHeld } from '../../conversation/index.ts';
import type { Act } from '../../profiles/index.ts';
import { isYesNoQuestion, type Scorers, toStatement } from '../../scorers/index.ts';
import type { Lease } from '../budget/index.ts';
import { rankLogit } from '../retrieval/index.ts';
import { asksAs, holdsNumber } from './asked.ts';
import type { ScoredUnit } from './excerpt.ts';
import type { Weighed } from './forms.ts';
import type { Form, SpanAnswer } from './record.ts';
import { goesOn, headingOf, type Source, sectionOf, sourceOf, textOf, type Unit, unitsOf } from './units.ts';

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
  around: (source: Source, reach?: number) => Promise<Source[]>;
  /** What judging units may cost: `rerankPairs`, `contextTokens`, `nliPairs`. */
  lease: Lease;
  scorers: Pick<Scorers, 'rerank' | 'nli' | 'countTokens'>;
  signal?: AbortSignal | undefined;
}

/** Passages whose units are judged. */
const JUDGED = 2;
/** Passages whose sentences are looked at that name what is compared. */
const NAMING = 8;
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
/** Characters of a unit that are judged. */
const LONGEST = 1_500;

/**
 * The units of the first passages, each judged alone, as far as the lease pays for them; the rest is worth nothing. Where
 * sides are compared, what names one in further passages comes behind.
 */
export async function judged(given: Composing, form: Form, sides: readonly string[]): Promise<ScoredUnit[]> {
  const { query, act, span, bound, sources, lease, scorers, signal } = given;
  const [first, ...others] = sources.slice(0, JUDGED);
  const onward = (await given.around(first!)).filter((source) => goesOn(first!, source));
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
export function homeOf({ query, span, sources }: Composing, units: readonly ScoredUnit[]): Source {
  if (span !== null) {
    return sourceOf(span, sources) ?? sources[0]!;
  }
  const worth = (source: Source) => {
    const own = units.filter((unit) => unit.source === source).map(({ logit }) => logit);
    const { relevance, fused } = source.evidence.scores;
    if (own.length === 0 || relevance === null) return Number.NEGATIVE_INFINITY;
    const headed = asksAs(query, headingOf(source.evidence)) ? HEADED : 0;
    return rankLogit({ logit: boundedLogit(relevance, 1e-9) }, { fused }) + Math.max(...own) + headed;
  };
  return sources
    .slice(0, JUDGED)
    .reduce((best, each) => (worth(each) > worth(best) ? each : best), sources[0]!);
}

export function claimOf(query: string): string {
  return isYesNoQuestion(query) ? toStatement(query, 'yes') : query;
}

/** The best units with what they say of the claim, as far as the lease pays for them. */
export async function weigh(
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
  const words = new Map(
    units.flatMap((unit, i) => {
      const isFirst = units[i - 1]?.source !== unit.source;
      const word = isFirst ? ANSWERING.exec(textOf(unit))?.[1]?.toLowerCase() : undefined;
      return word === undefined ? [] : [[sectionOf(unit.source.evidence), word]];
    }),
  );
  return best.map((unit, i) => {
    const { entailment, contradiction } = scores[i]!;
    const word = words.get(sectionOf(unit.source.evidence));
    const says = entailment > contradiction ? 'yes' : 'no';
    const isContrary =
      word !== undefined && word !== says && (ANSWERING.test(textOf(unit)) || asksTheSame(query, unit));
    const isBelieved = !isContrary && !(says === 'no' && saysSeveral(textOf(unit), hypothesis));
    return isBelieved ? { ...unit, entailment, contradiction } : { ...unit, entailment: 0, contradiction: 0 };
  });
}

/** "No, it can't." */
const ANSWERING = /^(yes|no)(?:\s*[,;:!]|\.(?!\s*\d)|\s+[–—-]\s)/i;
/** Share of a query's words that a question has which asks the same. */
const ASKS_THE_SAME = 0.5;

/**
 * Whether the heading above a unit asks what the query asks, more or less. A section that begins with yes or no answers its
 * heading, and where the model reads the contrary in it neither is to be believed: the heading asks for what is denied below.
 */
function asksTheSame(query: string, { source }: Unit): boolean {
  return shareHeld(contentStems(query), contentStems(headingOf(source.evidence))) >= ASKS_THE_SAME;
}

const SEVERAL = /\b(?:multiple|several|many|numerous|any number of|more than one)\b/i;
const DENIES =
  /\b(?:not|no|never|none|neither|nor|cannot|without|only|just|except|unless|single)\b|n['’]t\b/i;

/** Whether a quote speaks of several and nothing is denied: the model reads that as the contrary of two. */
function saysSeveral(quote: string, claim: string): boolean {
  return SEVERAL.test(quote) && !DENIES.test(quote) && !DENIES.test(claim);
}

/** Units that say yes or no gain by it, though none does so clearly. */
export function leaning(units: readonly ScoredUnit[], weighed: readonly Weighed[]): ScoredUnit[] {
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
