import {
  type AskedQuestion,
  asksOwnCase,
  contentStems,
  type SelfContained,
} from '../../../conversation/index.ts';
import { ACTS } from '../../../profiles/index.ts';
import { isYesNoQuestion } from '../../../scorers/index.ts';
import { type LayerRecord, LayerSettings, runLayers } from '../../layers/index.ts';
import { measuredFeaturesOf } from '../features.ts';
import type { DecisionInput } from '../input.ts';
import type { ClaimVerdicts } from './claims.ts';
import { actFeature, FEATURE_GROUPS, type PlannerFeatures } from './names.ts';
import { ruleIn } from './rule.ts';
import { toldIn } from './told.ts';

type Part<G extends keyof typeof FEATURE_GROUPS> = Pick<PlannerFeatures, (typeof FEATURE_GROUPS)[G][number]>;

/** Everything that is known of a query before it is decided. */
export interface PlanningInput extends DecisionInput {
  /** What became of the query after its history; null without one. */
  rewrite: Pick<SelfContained, 'changed' | 'reasons' | 'open'> | null;
  /** The best question that could be asked back; null: none is worth it. Undefined: nobody looked. */
  question?: Pick<AskedQuestion, 'gain' | 'options' | 'resolution'> | null;
  claims: ClaimVerdicts | null;
}

/** As they are by default, whatever the caller's are: a planner must see what it was fitted on. */
const LAYERS = LayerSettings.parse({});
const TOP = 5;

/** The features of a query, null where something was not measured. Pure; linear in what was said and retrieved. */
export function planningFeatures(input: PlanningInput): PlannerFeatures {
  return {
    ...measuredFeaturesOf(input),
    ...acts(input),
    ...evidenceOf(input),
    ...state(input),
    ...rule(input),
    ...claims(input),
    ...layers(input),
    ...history(input),
    ...graph(input),
    ...formOf(input.query, asksOwnCase(input.query)),
    ...question(input),
  };
}

function acts({ act }: PlanningInput): Part<'acts'> {
  return Object.fromEntries(
    ACTS.map((each) => [actFeature(each), act.probabilities[each] ?? null]),
  ) as unknown as Part<'acts'>;
}

function evidenceOf({ evidence, answers, report }: PlanningInput): Part<'evidence'> {
  const ranked = evidence
    .filter(({ scores }) => scores.relevance !== null)
    .sort((a, b) => b.scores.relevance! - a.scores.relevance!);
  const [best] = ranked;
  const next = ranked.find(({ docId }) => docId !== best?.docId);
  const scores = answers.clusters.map(({ score }) => score).filter((score) => score > 0);
  return {
    relevanceLead:
      best === undefined || next === undefined ? null : best.scores.relevance! - next.scores.relevance!,
    answerEntropy: scores.length === 0 ? null : entropy(scores),
    topDocuments:
      evidence.length === 0 ? null : new Set(evidence.slice(0, TOP).map(({ docId }) => docId)).size,
    rivals: report.counts.pairsScored === 0 ? null : report.rivals.length,
  };
}

/** In bits, of weights that need not sum to one. */
function entropy(weights: readonly number[]): number {
  const total = weights.reduce((sum, each) => sum + each, 0);
  return weights.reduce((sum, each) => sum - (each / total) * Math.log2(each / total), 0);
}

function state({ state: now }: PlanningInput): Part<'state'> {
  if (now === null) return unmeasured('state');
  const missing = (kind: (typeof now.missing)[number]['kind']): number =>
    now.missing.filter((one) => one.kind === kind).length;
  const grounded = now.known.filter((one) => one.grounded).length;
  return {
    incompleteness: now.incompleteness,
    coverage: now.coverage,
    answerability: now.answerability,
    cosineConflict: now.conflict.cosine,
    ...now.ambiguity.signals,
    knownGrounded: grounded,
    knownUngrounded: now.known.length - grounded,
    missingReference: missing('reference'),
    missingIdentifier: missing('identifier'),
    missingTerm: missing('term'),
    missingEntity: missing('entity'),
    missingComparison: missing('comparison'),
    missingReading: missing('interpretation'),
    missingCondition: missing('condition'),
    missingAnswer: missing('answer'),
    missingRecoverable: now.missing.filter(({ recoverable }) => recoverable).length,
    constraints: now.constraints.length,
  };
}

function rule({ query, history: turns, evidence }: PlanningInput): Part<'rule'> {
  const told = toldIn(turns);
  const last = told.replies.at(-1)?.yes ?? null;
  const said = {
    repliesYes: told.replies.filter(({ yes }) => yes === true).length,
    repliesNo: told.replies.filter(({ yes }) => yes === false).length,
    lastReply: last === null ? null : Number(last),
    toldWords: told.own.reduce((sum, text) => sum + text.split(/\s+/u).length, 0),
  };
  const [best] = evidence;
  if (best === undefined) return { ...unmeasured('rule'), ...said };
  const { conditions, open, unasked, anyOf, excludes, clauses, settled } = ruleIn(best.text, query, told);
  const topic = contentStems(query.slice(0, 2_000));
  const held = contentStems(`${best.title}\n${best.text.slice(0, 3_000)}`);
  return {
    ...said,
    ruleConditions: conditions.length,
    openConditions: open.length,
    openShare: conditions.length === 0 ? null : open.length / conditions.length,
    unaskedConditions: unasked.length,
    pendingConditions: conditions.length - told.replies.length,
    ruleClauses: clauses,
    ruleAnyOf: anyOf === null ? null : Number(anyOf),
    ruleExcludes: Number(excludes),
    ruleWords: best.text.split(/\s+/u).length,
    settled: settled === null ? null : Number(settled),
    topicInRule: topic.size === 0 ? null : [...topic].filter((stem) => held.has(stem)).length / topic.size,
  };
}

/** Least probability that counts as a verdict. */
const SURE = 0.5;

function claims({ claims: found }: PlanningInput): Part<'claim'> {
  const conditions = found === null || found.conditions.length === 0 ? null : found.conditions;
  const met = conditions?.filter((one) => one.entailment >= SURE).length ?? null;
  const denied = conditions?.filter((one) => one.contradiction >= SURE).length ?? null;
  return {
    claimEntailment: found?.claim?.entailment ?? null,
    claimContradiction: found?.claim?.contradiction ?? null,
    caseEntailment: found?.case?.entailment ?? null,
    caseContradiction: found?.case?.contradiction ?? null,
    conditionsMet: met,
    conditionsDenied: denied,
    conditionsUndecided: conditions === null ? null : conditions.length - met! - denied!,
  };
}

function layers(input: PlanningInput): Part<'layers'> {
  const { evidence, premises } = input;
  const cosines = evidence.flatMap(({ scores }) => scores.dense ?? []);
  const { decided } = runLayers({ ...input, confidence: null }, LAYERS);
  const effect: LayerRecord[number]['finding'] = decided;
  return {
    distance: cosines.length === 0 ? null : 1 - Math.max(...cosines),
    premiseContradiction: most(premises?.map(({ contradiction }) => contradiction)),
    premiseEntailment: most(premises?.map(({ entailment }) => entailment)),
    layerAsks: Number(effect?.effect === 'ASK'),
    layerAbstains: Number(effect?.effect === 'ABSTAIN'),
    vocabularyDefines: input.vocabulary === null ? null : Number(effect?.effect === 'EVIDENCE'),
  };
}

function most(values: readonly number[] | undefined): number | null {
  return values === undefined || values.length === 0 ? null : Math.max(...values);
}

function history({ history: turns, rewrite }: PlanningInput): Part<'history'> {
  return {
    turns: turns.length,
    rewritten: Number(rewrite?.changed ?? false),
    openReferences: rewrite?.open.length ?? 0,
    lastTurnAsked: Number(toldIn(turns).asked),
    answersUs: Number(rewrite?.reasons.some(({ rule: by }) => by === 'ANSWER') ?? false),
  };
}

function graph({ path }: PlanningInput): Part<'graph'> {
  if (path === null) return unmeasured('graph');
  return {
    path: { strong: 1, broken: 0.5, absent: 0 }[path.kind],
    pathScore: path.score,
    pathKnown: path.known.length,
    pathVariables: path.variables.length,
  };
}

function question({ question: best }: PlanningInput): Part<'question'> {
  if (best === undefined) return unmeasured('question');
  return {
    questionGain: best?.gain ?? 0,
    questionOptions: best?.options.length ?? 0,
    questionResolution: best === null ? 0 : best.resolution,
  };
}

function unmeasured<G extends keyof typeof FEATURE_GROUPS>(group: G): Part<G> {
  return Object.fromEntries(FEATURE_GROUPS[group].map((name) => [name, null])) as unknown as Part<G>;
}

const READ = 400;
/** "Can I …", "Do I have to …", "Am I entitled …", "Will my …": what the asker may, must or gets. */
const OWN_RIGHT =
  /^\W*(?:(?:and|but|so|then|also|ok|okay)\W+)?(?:can|could|may|must|should|shall|will|would|do|does|did|am|is|are|have|has)\s+(?:i|we|my|our|this|the)\b/i;

/** How the question is put. */
function formOf(
  query: string,
  ownCase: boolean,
): Pick<PlannerFeatures, (typeof FEATURE_GROUPS)['form'][number]> {
  const words = (query
    .slice(0, READ)
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}'’]+/gu) ?? []) as string[];
  const asks = (word: string): number => Number(words.includes(word));
  const many = words.some((word, i) => (word === 'many' || word === 'much') && words[i - 1] === 'how');
  return {
    yesNo: Number(isYesNoQuestion(query)),
    what: asks('what'),
    who: Number(words.some((word) => word === 'who' || word === 'whom' || word === 'whose')),
    when: asks('when'),
    where: asks('where'),
    why: asks('why'),
    how: asks('how'),
    howMany: Number(many),
    which: asks('which'),
    ownCase: Number(ownCase),
    ownRight: Number(ownCase && OWN_RIGHT.test(query.slice(0, READ))),
    offersChoice: asks('or'),
  };
}
