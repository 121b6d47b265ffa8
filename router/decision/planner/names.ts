import { ACTS, type Act } from '../../../profiles/index.ts';
import { MEASURED_FEATURES } from '../features.ts';

const STATE = [
  /** I(q), coverage, A(q) and the cosine form of conflict; confidence is `bestRelevance`, contradiction `C`. */
  'incompleteness',
  'coverage',
  'answerability',
  'cosineConflict',
  /** The five heuristics of Amb(q), one by one. */
  'shortQuery',
  'danglingPronoun',
  'vagueQuantifier',
  'noNamedEntity',
  'halfComparison',
  /** How many variables are known and borne out, known and not, and missing, by kind. */
  'knownGrounded',
  'knownUngrounded',
  'missingReference',
  'missingIdentifier',
  'missingTerm',
  'missingEntity',
  'missingComparison',
  'missingReading',
  'missingCondition',
  'missingAnswer',
  'missingRecoverable',
  'constraints',
] as const;

const RULE = [
  /** Conditions that the most relevant passage names; how many nothing in query and history speaks of, and which share. */
  'ruleConditions',
  'openConditions',
  'openShare',
  /** Those that no question in the history asked for. */
  'unaskedConditions',
  /** Conditions less replies to questions: what could still be asked, below 0 where more was asked than is named. */
  'pendingConditions',
  'ruleClauses',
  /** 1: one of its conditions is enough; 0: all are needed; null: it names fewer than two or does not say. */
  'ruleAnyOf',
  /** 1 when it says what is excluded: "unless", "not", "cannot". */
  'ruleExcludes',
  'ruleWords',
  /** Yeses and noes of the user to the questions in the history, and the last one: 1 yes, 0 no. */
  'repliesYes',
  'repliesNo',
  'lastReply',
  /** 1 when the replies settle the rule as it is joined (see `settledBy`), 0 when not; null without conditions. */
  'settled',
  /** Words that the user said besides the question and short replies. */
  'toldWords',
  /** Share of the question's topic words that the most relevant passage holds. */
  'topicInRule',
] as const;

const CLAIM = [
  /** The question as a claim, held against the most relevant passage, and against it with what the user told. */
  'claimEntailment',
  'claimContradiction',
  'caseEntailment',
  'caseContradiction',
  /** Conditions that what the user told entails, contradicts, or leaves open. */
  'conditionsMet',
  'conditionsDenied',
  'conditionsUndecided',
] as const;

const LAYERS = [
  /** 1 - cosine of the nearest passage. */
  'distance',
  /** Of what the question takes for granted, the most of any passage. */
  'premiseContradiction',
  'premiseEntailment',
  /** 1 when some layer would ask, would abstain, when the vocabulary defines the term asked about. */
  'layerAsks',
  'layerAbstains',
  'vocabularyDefines',
] as const;

const HISTORY = [
  'turns',
  /** 1 when the history changed the query. */
  'rewritten',
  'openReferences',
  /** 1 when the last turn was a question of ours, and when the query answers it. */
  'lastTurnAsked',
  'answersUs',
] as const;

const GRAPH = [
  /** 1, .5 and 0 for a strong, a broken and an absent path. */
  'path',
  'pathScore',
  'pathKnown',
  'pathVariables',
] as const;

const FORM = [
  'yesNo',
  'what',
  'who',
  'when',
  'where',
  'why',
  'how',
  'howMany',
  'which',
  /** 1 when the question is about the asker, and when it asks what the asker can, may, must or has to do or get. */
  'ownCase',
  'ownRight',
  'offersChoice',
] as const;

const EVIDENCE = [
  /** How far the most relevant passage lies above the next document's. */
  'relevanceLead',
  /** Entropy in bits of the answers' scores, and documents among the first five passages. */
  'answerEntropy',
  'topDocuments',
  'rivals',
] as const;

const QUESTION = [
  /** Of the best clarifying question: expected gain in bits, options, expected gain in resolution. */
  'questionGain',
  'questionOptions',
  'questionResolution',
] as const;

export const actFeature = (act: Act) => `act:${act}` as const;

/** The features by where they come from, so that a planner can be fitted without one of the groups. */
export const FEATURE_GROUPS = {
  answer: MEASURED_FEATURES,
  acts: ACTS.map(actFeature),
  evidence: EVIDENCE,
  state: STATE,
  rule: RULE,
  claim: CLAIM,
  layers: LAYERS,
  history: HISTORY,
  graph: GRAPH,
  form: FORM,
  question: QUESTION,
} as const;

export type FeatureGroup = keyof typeof FEATURE_GROUPS;
export type PlanningFeature = (typeof FEATURE_GROUPS)[FeatureGroup][number];

/** Null where it was not measured, never 0. */
export type PlannerFeatures = Record<PlanningFeature, number | null>;

/** Everything a planner may look at. Names and order are part of a planner file: another list, another file. */
export const PLANNING_FEATURES: readonly PlanningFeature[] = Object.values(FEATURE_GROUPS).flat();
