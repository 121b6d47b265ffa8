/** What is known of one query on its way, and what all queries share. */

import type {
  ClarifyingQuestion,
  DefaultUse,
  Habits,
  Settled,
  Standing,
  Tagger,
  VoteCast,
} from '../conversation/index.ts';
import type { IdentifierTable, IndexBackend } from '../corpus/index.ts';
import type { Allocation, Budget, ProfileSet } from '../profiles/index.ts';
import { chooseAnswer, planNli, type Scorers, signalsFrom } from '../scorers/index.ts';
import type { ActClassifier, Stated } from './acts/index.ts';
import type { Answer, Composed, Place } from './answer/index.ts';
import type { Ledger } from './budget/index.ts';
import type { Abstention, Clarification, Decision, Evidence } from './contracts.ts';
import type {
  ClaimVerdicts,
  DecisionInput,
  HardGateSettings,
  Outcome,
  PlannerFeatures,
  PlannerParts,
  Thresholds,
} from './decision/index.ts';
import type { Judged } from './evidence.ts';
import type { KnowledgeGraph } from './graph/index.ts';
import type { LayerSettings } from './layers/index.ts';
import type { Retrieval, RetrievalResult } from './retrieval/index.ts';
import type { Sampler } from './sampler.ts';
import type { Stopwatch } from './stopwatch.ts';
import type { Decider, Policy, RouteOptions } from './types.ts';
import type { Vocabulary } from './vocabulary/index.ts';

/** An answer with the passages that it quotes, in the order of its quotes. */
export interface Answered {
  answer: Answer;
  quoted: Evidence[];
}

export interface Told {
  clarification?: Clarification;
  abstention?: Abstention;
  /** The question behind `clarification`, with what else could have been asked. */
  question: ClarifyingQuestion | null;
  /** What the question proposes; absent where it proposes nothing. */
  proposed?: Settled['proposed'];
}

/** Everything that one query needs and that all queries share. */
export interface Parts {
  index: IndexBackend;
  identifiers: IdentifierTable;
  retrieval: Retrieval;
  acts: Pick<ActClassifier, 'classify'>;
  profiles: ProfileSet;
  scorers: Scorers;
  tagger: Tagger;
  vocabulary: Vocabulary | null;
  graph: KnowledgeGraph | null;
  habits: Habits | null;
  thresholds: Thresholds;
  /** Told of what ails the index. */
  announce: (message: string) => void;
  layers: LayerSettings;
  decider: Decider;
  planner: PlannerParts | null;
  sampler: Sampler | null;
  hardGate: HardGateSettings;
  policy: Policy;
  /** What the ledger of a query holds. */
  budget: Budget;
  /** What one routing of a query may divide: less than the budget where it may be routed once more or asks several things. */
  share: Budget;
  versions: Decision['versions'];
}

/** One query under way. */
export interface Run {
  parts: Parts;
  asked: Standing;
  /** Whether it is one question of several in its query. */
  several: boolean;
  ledger: Ledger;
  watch: Stopwatch;
  signal: AbortSignal | undefined;
  observe: RouteOptions['observe'];
  compose: RouteOptions['compose'];
  /** Of the latest routing. */
  trail: Trail | null;
  /** What was routed in place of the query, with a settled value in it; null: the query itself. */
  routed: string | null;
  /** The settled value that no answer has gone out with yet; null: none is. */
  settled: Settled | null;
  defaults: DefaultUse[];
  votes: VoteCast[];
  /** What was not asked again; null where nothing was about to be. */
  askedBefore: Decision['askedBefore'] | null;
}

/** What came of a text. */
export interface Routing {
  trail: Trail;
  outcome: Outcome;
  told: Told;
  /** Null where the outcome is no answer. */
  answered: Answered | null;
  /** Null where nobody asked for it. */
  composed: Composed | null;
}

/** What is known so far. A deadline may cut the way short after any step; the decision is then made on this. */
export interface Trail extends DecisionInput {
  allocation: Allocation | null;
  retrieved: RetrievalResult;
  judged: readonly Judged[];
  /** The best question that could be asked back; null: none is worth it. Undefined: nobody looked. */
  question?: ClarifyingQuestion | null;
  /** What the entries say of the term that is asked about. */
  entries: readonly Place[];
  claims: ClaimVerdicts | null;
  /** What the query says is so, where it says that and asks nothing: the text that is verified. */
  stated: Stated | null;
  planning: PlannerFeatures | null;
  /** The folder of the collection that is looked in; null: all of it. */
  where: string | null;
}

/** The trail of a query of which nothing is known but its act. */
export function emptyTrail(
  parts: Pick<Parts, 'identifiers' | 'layers' | 'vocabulary'>,
  query: string,
  history: DecisionInput['history'],
  act: DecisionInput['act'],
): Trail {
  const answers = chooseAnswer(query, []);
  return {
    query,
    history,
    act,
    allocation: null,
    retrieved: { candidates: [], byBranch: {} },
    judged: [],
    evidence: [],
    suspects: [],
    coverage: { terms: [], unknown: [], known: 1 },
    spelling: [],
    identifiers: [],
    identifiersIn: (part) => parts.identifiers.extract(part).map(({ id }) => id),
    layers: parts.layers,
    vocabulary: parts.vocabulary,
    answers,
    report: signalsFrom([], answers, planNli(query, [], answers, 0), []),
    premises: null,
    state: null,
    path: null,
    entries: [],
    claims: null,
    stated: null,
    planning: null,
    where: null,
  };
}
