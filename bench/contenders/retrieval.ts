/** Abstention by what retrieval says, before anything is read, and the paper's series of it. Pure but for the asking. */
import {
  anyAt,
  clopperPearson,
  type Observation,
  type Scored,
  type SplitName,
} from '../../calibration/index.ts';
import type { Router } from '../../router/index.ts';
import { byCoverage } from '../parity/per-act.ts';
import { nearestTau } from './bars.ts';
import type { Estimate } from './judged.ts';

/**
 * Of one question, each in [0, 1], the higher the surer: the best fused score, how far it lies above the next document's, and the
 * share of the first ten passages that the lexical and the dense branch have in common.
 */
export const RETRIEVAL_SCORES = ['top score', 'margin', 'agreement'] as const;
export type RetrievalScores = Record<(typeof RETRIEVAL_SCORES)[number], number>;

const FIRST = 10;

export async function retrievalScores(router: Pick<Router, 'rank'>, query: string): Promise<RetrievalScores> {
  const [fused, lexical, dense] = (await Promise.all(
    (['fused', 'lexical', 'dense'] as const).map((stage) => router.rank(stage, { query }, FIRST)),
  )) as [Ranked, Ranked, Ranked];
  const [best] = fused;
  const next = fused.find(({ docId }) => docId !== best?.docId);
  const found = new Set(lexical.map(({ passageId }) => passageId));
  const common = dense.filter(({ passageId }) => found.has(passageId)).length;
  return {
    'top score': best?.score ?? 0,
    margin: (best?.score ?? 0) - (next?.score ?? 0),
    agreement: common / FIRST,
  };
}
type Ranked = Awaited<ReturnType<Router['rank']>>;

/** A question with what retrieval makes of it. `ranking`: documents, best first. */
export interface Retrieved extends Pick<Scored, 'act' | 'U'> {
  docs: readonly string[];
  relevant: readonly string[];
}

/** Gates are not asked. */
export function retrievedWith(observation: Observation, U: number): Retrieved {
  const { act, error, ranking, example } = observation;
  return {
    act,
    U: error === null ? U : null,
    docs: [...new Set(ranking.map(({ docId }) => docId))],
    relevant: example.passages ?? [],
  };
}

/** What the first step goes by: the best score alone. */
export function byTopScore(scores: RetrievalScores): number {
  return 1 - scores['top score'];
}

/** What the others go by: the best score, what the branches do not share, and contradiction among passages, weighed alike. */
export function mindingConflicts(scores: RetrievalScores, { features }: Observation): number {
  return (1 - scores['top score'] + (1 - scores.agreement) + (features?.C ?? 1)) / 3;
}

/** One step of the series. */
export interface SeriesRow {
  name: string;
  /** Abstention at the threshold, on the test split. */
  abstained: Estimate;
  /** Of the questions that are answered, those with a relevant document among the first. */
  recall: Record<(typeof DEPTHS)[number], number | null>;
  /** What the threshold was set for, on the calibrate split. */
  aim: string;
}

const DEPTHS = ['R@1', 'R@10'] as const;
const DEPTH = { 'R@1': 1, 'R@10': 10 } as const;

/** What the paper's first row abstains on. */
const FIRST_ABSTAINS = 0.44;

export type Splits = Record<Exclude<SplitName, 'tune'>, readonly Retrieved[]>;

/**
 * The paper's series (its "retrieval-only diagnostic"): one threshold that abstains on .44; then allocation that minds
 * conflicts, and then thresholds per act, abstaining on as few as keep the retrieval quality of the first. The paper says
 * "unchanged retrieval quality" and neither its scores nor how its thresholds were set, so this is a reading of it: on the calibrate split the
 * laxest threshold whose answered questions have at least the recall of the first row's, once by R@10, as there, and once by
 * R@1, since R@10 is nearly 1 here whatever is left out.
 */
export function seriesOf(first: Splits, minding: Splits): SeriesRow[] {
  const tau = nearestTau(first.calibrate, 1 - FIRST_ABSTAINS);
  const base = first.calibrate.filter((item) => isUpTo(item, tau));
  const order = byCoverage(minding.calibrate.map(({ act, U }) => ({ act, U, wrong: null })));
  const perAct = mapped(minding, (item) =>
    item.act === null || item.U === null ? item : { ...item, U: order(item.act, item.U) },
  );
  return [
    seriesRow('one threshold', first.test, tau, `abstains on ${FIRST_ABSTAINS}`),
    ...DEPTHS.toReversed().flatMap((depth) => {
      const least = recallOf(base, depth) ?? 0;
      const aim = `${depth} of at least ${least.toFixed(3)}`;
      return [
        seriesRow('minding conflicts', minding.test, laxest(minding.calibrate, depth, least), aim),
        seriesRow('thresholds per act', perAct.test, laxest(perAct.calibrate, depth, least), aim),
      ];
    }),
  ];
}

function mapped(splits: Splits, of: (item: Retrieved) => Retrieved): Splits {
  return { calibrate: splits.calibrate.map(of), test: splits.test.map(of) };
}

function isUpTo({ U }: Retrieved, tau: number | null): boolean {
  return U !== null && tau !== null && U <= tau;
}

/** Null without an answered question that has a labelled document. */
function recallOf(items: readonly Retrieved[], depth: (typeof DEPTHS)[number]): number | null {
  const found = items.flatMap(
    ({ docs, relevant }) => anyAt([...docs], new Map(relevant.map((id) => [id, 1])), DEPTH[depth]) ?? [],
  );
  return found.length === 0 ? null : found.reduce((sum, hit) => sum + hit, 0) / found.length;
}

/** The laxest threshold under which at least so much is found; null where none is. */
function laxest(items: readonly Retrieved[], depth: (typeof DEPTHS)[number], least: number): number | null {
  const taus = [...new Set(items.flatMap(({ U }) => U ?? []))].sort((a, b) => b - a);
  for (const tau of taus) {
    const recall = recallOf(
      items.filter((item) => isUpTo(item, tau)),
      depth,
    );
    if (recall !== null && recall >= least) return tau;
  }
  return null;
}

function seriesRow(name: string, test: readonly Retrieved[], tau: number | null, aim: string): SeriesRow {
  const answered = test.filter((item) => isUpTo(item, tau));
  const silent = test.length - answered.length;
  return {
    name,
    abstained: {
      value: test.length === 0 ? null : silent / test.length,
      interval: test.length === 0 ? null : clopperPearson(silent, test.length),
    },
    recall: { 'R@1': recallOf(answered, 'R@1'), 'R@10': recallOf(answered, 'R@10') },
    aim,
  };
}
