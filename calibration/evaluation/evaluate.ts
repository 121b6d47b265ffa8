import { createHash } from 'node:crypto';
import { canonicalJson, PragauraError } from '../../common/index.ts';
import { provisionalThresholds, type Thresholds } from '../../router/index.ts';
import { isRestricted, saysWhatIsShown } from '../labels/examples.ts';
import type { WrongRule } from '../labels/wrong.ts';
import type { BootstrapOptions } from '../metrics/intervals.ts';
import { anyAt, ndcgAt, reciprocalRankAt } from '../metrics/retrieval.ts';
import { askedOf } from '../observations/key.ts';
import { type Documents, documentIn, documentsAmong } from '../splits/documents.ts';
import type { Observation } from '../types.ts';
import { abstentionsOf } from './abstentions.ts';
import { actsOf } from './acts.ts';
import { answeredOf, meanOf, number, proportion, wrongAmong } from './estimates.ts';
import { type Graded, grade, unanswered } from './graded.ts';
import { checksOf } from './guarantee.ts';
import { ownRankers, type Ranker } from './rankers.ts';
import { rankingsOf } from './rankings.ts';
import { reliabilityOf } from './reliability.ts';
import { countsOfAll, decisionsOf, errorCausesOf, spentOf } from './tallies.ts';
import type { Evaluation, Promised } from './types.ts';

export interface EvaluationOptions {
  /** Hash of the artifact of `thresholds`. */
  hash?: string | null;
  promised?: Promised | null;
  /** What counts as one document. Default: among the examples of the observations. */
  documents?: Documents;
  /** What else a reader must know, before the remarks that the figures themselves call for. */
  remarks?: readonly string[];
  /** When an answer is wrong. Default: EM. */
  rule?: WrongRule;
  /** Further orders beside the router's own and its variants. */
  rankers?: readonly Ranker[];
  /** Shares answered at which selective EM and F1 are reported. Default .5, .6, … 1. */
  coverages?: readonly number[];
  /** Bootstrap. Defaults 1,000, 1, .95. */
  resamples?: number;
  seed?: number;
  level?: number;
  /** Bins of equal mass of the calibration error. Default 15. */
  bins?: number;
}

const COVERAGES = [0.5, 0.6, 0.7, 0.8, 0.9, 1];

/**
 * Every figure of an evaluation, and what it graded in the order of the observations; `thresholds` null: the provisional
 * rule. Pure: the same observations, thresholds and options give the same figures (`spent.ms` is as it was measured). The
 * order of the observations does not matter to them, except to the draws of the bootstrap.
 * Throws EMPTY_INPUT without observations, CONFIGURATION for a threshold outside [0, 1].
 */
export function evaluateObservations(
  observations: readonly Observation[],
  thresholds: Thresholds | null,
  options: EvaluationOptions = {},
): { evaluation: Evaluation; graded: Graded[] } {
  if (observations.length === 0) {
    throw new PragauraError('EMPTY_INPUT', 'There is nothing to evaluate.', {
      hint: 'The file of labelled queries is empty.',
    });
  }
  const { rule = { kind: 'em' }, coverages = COVERAGES, bins = 15, promised = null } = options;
  const { resamples = 1_000, seed = 1, level = 0.95 } = options;
  const bootstrap = { resamples, seed, level };
  const rules = thresholds ?? provisionalThresholds();
  const { documents = documentsAmong(observations.map(({ example }) => example)) } = options;
  const graded = observations.map((observation) =>
    grade(observation, rules, rule, documentIn(documents, observation.example)),
  );
  const answered = answeredOf(graded);
  const counts = countsOfAll(graded);
  const over = (some: readonly Graded[]) => ({
    em: meanOf(some, ({ em }) => em, bootstrap),
    f1: meanOf(some, ({ f1 }) => f1, bootstrap),
    risk: meanOf(some, ({ wrong }) => number(wrong), bootstrap),
  });
  // Rules are those of a whole test: which queries are restricted is told query by query.
  const status = rules.status === 'CALIBRATED' ? 'CALIBRATED' : 'NOT_CALIBRATED';
  const rankers = [...ownRankers(rules.score), ...(options.rankers ?? [])];
  const evaluation: Evaluation = {
    schema: 'pragaura.evaluation/2',
    test: testHash(observations),
    thresholds: { status, hash: options.hash ?? null, score: rules.score, promised },
    settings: {
      rule: rule.kind === 'em' ? rule : { kind: 'f1', least: rule.least.text },
      resamples,
      seed,
      level,
      bins,
    },
    counts,
    remarks: [...(options.remarks ?? []), ...remarksOn(counts, graded, status)],
    coverage: meanOf(graded, ({ action }) => number(action === 'ANSWER'), bootstrap),
    answered: over(answered),
    everything: over(graded),
    errorCauses: errorCausesOf(graded),
    unsupported: {
      tokens: meanOf(answered, ({ tokens }) => tokens, bootstrap),
      entailment: meanOf(answered, ({ entailment }) => entailment, bootstrap),
      notEntailed: meanOf(
        answered,
        ({ entailment }) => (entailment === null ? null : number(entailment > 0.5)),
        bootstrap,
      ),
    },
    rankings: rankingsOf(graded, rankers, coverages, bootstrap),
    reliability: reliabilityOf(graded, rules.score, bins, bootstrap),
    abstentions: abstentionsOf(graded),
    acts: actsOf(graded, rules, bootstrap),
    overall: {
      coverage: proportion(answered.length, graded.length, level),
      risk: wrongAmong(answered, level),
    },
    checks: checksOf(graded, promised, level),
    retrieval: retrievalOf(graded, bootstrap),
    decisions: decisionsOf(graded, bootstrap),
    spent: spentOf(graded),
  };
  return { evaluation, graded };
}

/** SHA-256 of the examples with their labels, whatever their order. */
function testHash(observations: readonly Observation[]): string {
  const lines = observations.map(({ example }) => {
    const { id, answers, passages, grades, answerable, action, group } = example;
    return canonicalJson([id, askedOf(example), { answers, passages, grades, answerable, action, group }]);
  });
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

/**
 * R@k, MRR@10 and nDCG@10 of the passages that the reader saw, over examples whose passages are labelled. R@k is whether
 * one of them is among the first k: success@k where there are several.
 */
function retrievalOf(items: readonly Graded[], options: BootstrapOptions): Evaluation['retrieval'] {
  const labelled = items.filter(({ observation }) => (observation.example.passages?.length ?? 0) > 0);
  if (labelled.length === 0) return null;
  const figure = (metric: typeof ndcgAt, k: number) =>
    meanOf(
      labelled,
      ({ failed, observation }) => (failed ? null : metric(rankingOf(observation), gainsOf(observation), k)),
      options,
    );
  return {
    figures: {
      'R@1': figure(anyAt, 1),
      'R@5': figure(anyAt, 5),
      'R@10': figure(anyAt, 10),
      'R@20': figure(anyAt, 20),
      'MRR@10': figure(reciprocalRankAt, 10),
      'nDCG@10': figure(ndcgAt, 10),
    },
  };
}

function gainsOf({ example }: Observation): Map<string, number> {
  return new Map(example.passages?.map((id, place) => [id, example.grades?.[place] ?? 1]));
}

/**
 * Ids to hold against the labels, which may name documents or passages. Where a label names a document, passages of
 * one document count as one, at the first; else each passage has a rank of its own.
 */
function rankingOf({ example, ranking }: Observation): string[] {
  const gold = new Set(example.passages);
  const byDocument = ranking.some(({ docId, passageId }) => gold.has(docId) && !gold.has(passageId));
  return [...new Set(ranking.map(({ docId, passageId }) => (byDocument ? docId : passageId)))];
}

/** What a reader of the figures must know before he trusts them, one sentence each. */
function remarksOn(
  { examples, groups, documents, errors, unlabelled, withoutCandidate }: Evaluation['counts'],
  items: readonly Graded[],
  status: Evaluation['thresholds']['status'],
): string[] {
  const remarks: string[] = [];
  const of = (count: number) => `${count} of ${examples}`;
  if (status === 'NOT_CALIBRATED')
    remarks.push('No calibration was given: the provisional rule decided, and nothing is promised.');
  else {
    const restricted = items.filter(({ observation }) => isRestricted(observation.example)).length;
    if (restricted > 0)
      remarks.push(
        `${of(restricted)} have a history or filters: nothing is promised for them, and promises are checked without them.`,
      );
  }
  const tied = documents < groups ? ' that share no document or question' : '';
  if (documents === 1) remarks.push(`There are no two groups${tied}: no interval by group can be given.`);
  else if (documents < 20)
    remarks.push(`Only ${documents} groups${tied}: the bootstrap intervals are rough, rather too narrow.`);
  if (errors > 0)
    remarks.push(
      `${of(errors)} could not be decided. They are not answered, and neither right nor wrong; low and high in metrics.json say what they could change.`,
    );
  if (unlabelled > 0)
    remarks.push(
      `${of(unlabelled)} have no label that says whether their answer is right; they count for coverage only.`,
    );
  if (withoutCandidate > 0)
    remarks.push(`${of(withoutCandidate)} have no candidate: EM and F1 0, ranked last.`);
  const byShown = items.filter(({ observation }) => saysWhatIsShown(observation.example)).length;
  if (byShown > 0)
    remarks.push(
      `${of(byShown)} are labelled with patterns, steps or a verdict: their EM and F1 are 1 or 0, by what would be shown.`,
    );
  const untold = items.filter((item) => unanswered(item) && item.observation.asks == null).length;
  if (untold > 0)
    remarks.push(
      `Of ${untold} not answered it was not measured whether they would be asked back; they count as such only where a band for asking was calibrated.`,
    );
  return remarks;
}
