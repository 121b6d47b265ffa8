/** From what was measured of a question to what a rule decides about: what could be shown, and whether it is right. Pure. */

import { normaliseAnswer } from '../../calibration/index.ts';
import { boundedLogit } from '../../common/index.ts';
import type { Act } from '../../profiles/index.ts';
import type { Reason } from '../../router/index.ts';
import { overlap, takes } from '../documents/judge.ts';
import type { Shown } from '../documents/shown.ts';
import type { Verdict } from '../documents/types.ts';
import type { Measured, PoolQuestion, ReadPassage } from './types.ts';

export type Values = Readonly<Record<string, number | null>>;

/** One question, as a rule sees it. */
export interface Item {
  set: string;
  /** Questions about one text; drawn together for intervals. */
  group: string;
  act: Act;
  answerable: boolean;
  /** What closes whatever the bars are, and leaves nothing to show: a layer, or a gate about the query. Null: nothing. */
  closed: string | null;
  /** Its reason. */
  reason: Reason | null;
  /** No gate about the span closes. */
  spanOpen: boolean;
  /** Features, U of the formula, and what else a score may look at; null where it was not measured. */
  values: Values;
  /** Of the passages that were read, whether a person would take each as it stands. */
  read: Pick<ReadPassage, 'relevance' | 'fused' | 'right'>[];
  /** Whether a person would take the best span, the best passage in its form, and the first passage as it stands; null: there is none. */
  right: { span: boolean | null; passage: boolean | null; first: boolean | null };
}

/** Gates that close for the span alone. */
const OF_SPANS = new Set(['NO_SUPPORTED_ANSWER', 'POISONED_EVIDENCE']);

export function itemOf(question: PoolQuestion, measured: Measured): Item {
  const { set, act, closed, layer, features, U, span, passage, passages } = measured;
  const ofSpan = closed !== null && layer === null && OF_SPANS.has(closed);
  const judged = (shown: Shown | null) => (shown === null ? null : isRight(question, shown));
  return {
    set,
    group: question.group,
    act: act as Act,
    answerable: question.expect === 'ANSWER',
    closed: closed === null || ofSpan ? null : (layer ?? closed),
    reason: ofSpan ? null : closed,
    spanOpen: closed === null && span !== null,
    values: { ...features, U, ...besides(measured) },
    read: passages.map(({ relevance, fused, right }) => ({ relevance, fused, right })),
    right: { span: judged(span), passage: judged(passage), first: passages[0]?.right ?? null },
  };
}

/** Of the passages that were read: the first, and how far the next one lies below it. */
function besides({ passages, features }: Measured): Values {
  const [first] = passages;
  const relevances = passages.map(({ relevance }) => relevance).sort((a, b) => b - a);
  return {
    firstRelevance: first?.relevance ?? null,
    firstMargin: first?.margin ?? null,
    firstFused: first?.fused ?? null,
    firstEntailment: first?.entailment ?? null,
    second: relevances[1] ?? null,
    gap: relevances.length < 2 ? null : relevances[0]! - relevances[1]!,
    logit: features.bestRelevance === null ? null : finite(features.bestRelevance),
    firstLogit: first === undefined ? null : finite(first.relevance),
    secondLogit: relevances[1] === undefined ? null : finite(relevances[1]),
    most: passages.reduce<number | null>(
      (most, { margin }) => (margin === null ? most : Math.max(most ?? margin, margin)),
      null,
    ),
  };
}

/** Log odds of a share, finite also where it is all or nothing. */
function finite(share: number): number {
  return boundedLogit(share, 1e-6);
}

/** Words up to which an answer has to stand in what is shown; of a longer one enough words do. */
const SHORT = 10;

/**
 * Whether a person would take what is shown: the verdict that is due, or, where none is given, words of the place that
 * it rests on; the words of a short gold answer; of a long one enough of them. Never where nothing answers.
 */
export function isRight(question: PoolQuestion, shown: Shown): boolean {
  if (question.expect !== 'ANSWER') return false;
  const { golds = [], anchors = [], verdicts = verdictsIn(golds) } = question;
  if (verdicts !== undefined) {
    if (shown.verdict !== null) return verdicts.includes(shown.verdict);
    return anchors.some((anchor) => shown.quotes.some((quote) => overlap(quote, anchor)));
  }
  const said = ` ${normaliseAnswer(shown.text)} `;
  const stands = golds.map(normaliseAnswer).some((gold) => isShort(gold) && said.includes(` ${gold} `));
  return stands || takes(question, shown);
}

function isShort(gold: string): boolean {
  return gold !== '' && gold.split(' ').length <= SHORT;
}

/** Gold answers that are a yes or a no. */
function verdictsIn(golds: readonly string[]): Verdict[] | undefined {
  const said = golds.map((gold) => gold.trim().toLowerCase());
  const verdicts = said.flatMap<Verdict>((gold) => (gold === 'yes' || gold === 'no' ? [gold] : []));
  return verdicts.length > 0 && verdicts.length === golds.length ? verdicts : undefined;
}
