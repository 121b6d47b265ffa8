/** The way of one query, from its words to a decision. Each step is a room of its own; this file strings them. */
import { messageOf, PragauraError } from '../common/index.ts';
import { standing } from '../conversation/index.ts';
import type { Act, Budget } from '../profiles/index.ts';
import type { Scorers } from '../scorers/index.ts';
import { asClaim } from './acts/index.ts';
import { actByForm } from './answer/index.ts';
import { answered, composedApart, enoughSources } from './answered.ts';
import { Ledger } from './budget/index.ts';
import { leading, questionsOf, wholeOf } from './compound/index.ts';
import type { Decision, Part, Query } from './contracts.ts';
import {
  byRelevance,
  decide,
  gated,
  type Outcome,
  planned,
  planUnder,
  screenQuery,
  type Thresholds,
  thresholdsFor,
} from './decision/index.ts';
import { explanation } from './explanation.ts';
import { gather } from './gather.ts';
import { byPlaces } from './places.ts';
import { shareOf } from './router-options.ts';
import { Stopwatch } from './stopwatch.ts';
import { asked, onceAsked, told, unlessMisspelt, worthAsking } from './told.ts';
import { emptyTrail, type Parts, type Routing, type Run, type Trail } from './trail.ts';
import type { Explanation, RouteOptions } from './types.ts';

/**
 * Decides one query and says how. A deadline that passes gives an abstention, never an answer. A query with several
 * questions goes the whole way with each, in order, out of one budget.
 * Throws ABORTED when the caller's signal fires, and whatever typed error a stage failed with.
 */
export async function explainQuery(
  parts: Parts,
  query: Query,
  options: RouteOptions = {},
): Promise<Explanation> {
  const watch = new Stopwatch();
  const budget = withDeadline(parts.budget, query.deadlineMs);
  const ledger = new Ledger(budget);
  const deadline = budget.ms === null ? undefined : AbortSignal.timeout(budget.ms);
  const signal = anySignal(options.signal, deadline);
  const { asked, rest } = await watch.time('history', () => questionsOf(query.query, query.history ?? []));
  const several = asked.length > 1;
  const own = several ? { ...parts, share: shareOf(parts.share, asked.length) } : parts;
  const runs = asked.map(
    (one): Run => ({
      ...emptyRun(),
      parts: own,
      asked: one,
      several,
      ledger,
      watch,
      signal,
      observe: options.observe,
      compose: options.compose,
    }),
  );
  const decided: { question: string; explained: Explanation }[] = [];
  for (const [i, run] of runs.entries()) {
    const routing = await inTime(run, query, options, { deadline, ms: budget.ms, first: i === 0 });
    decided.push({ question: run.routed ?? run.asked.text, explained: explanation(run, query, routing) });
  }
  if (!several) return decided[0]!.explained;
  const decisions = decided.map(({ question, explained: { decision } }) => ({ question, decision }));
  const decision = wholeOf(decisions, rest === null ? null : unread(parts, rest));
  const lead = leading(decisions.map(({ decision }) => decision));
  return { ...decided.find(({ explained }) => explained.decision === lead)!.explained, decision };
}

interface Limits {
  deadline: AbortSignal | undefined;
  ms: number | null;
  /** Of the query's questions: what the user says about the turn before is heard once. */
  first: boolean;
}

/** One question's way; too late, or where the index fails, an abstention. */
async function inTime(
  run: Run,
  query: Query,
  options: RouteOptions,
  { deadline, ms, first }: Limits,
): Promise<Routing> {
  const thresholds = thresholdsOf(run, query, run.asked.text, run);
  let routing: Routing;
  try {
    if (first) await heard(run, query, options);
    routing = await routed(run, query, run.asked.text, thresholds);
    routing = await settled(run, query, routing, options);
    // Between the last model and here nothing yields to the timer.
    if (ms !== null && run.ledger.elapsed() >= ms) routing = tooLate(run, thresholds);
  } catch (error) {
    const late = deadline?.aborted === true;
    const failed = PragauraError.isInstance(error) && error.code === 'BACKEND_UNAVAILABLE';
    if (options.signal?.aborted || !(late || failed)) {
      lapse(run);
      throw options.signal?.aborted ? aborted(error) : error;
    }
    if (!late) run.parts.announce(messageOf(error));
    routing = late ? tooLate(run, thresholds) : cutShort(run, thresholds, { indexUnavailable: true });
  }
  if (routing.outcome.action !== 'ANSWER') lapse(run);
  return routing;
}

/** The thresholds for one question. Calibrated ones are set by act and form, which the words tell before anything is found. */
function thresholdsOf(
  { parts }: Run,
  query: Query,
  text: string,
  flags?: { defaulted?: boolean; several?: boolean },
): Thresholds {
  const thresholds = thresholdsFor(query, parts.thresholds, flags);
  if (thresholds.status === 'NOT_CALIBRATED') return thresholds;
  const { tauFor, askUpTo, sentence } = thresholds;
  return {
    ...thresholds,
    tauFor: (act) => tauFor(actByForm(text, act)),
    ...(askUpTo && { askUpTo: (act: Act) => askUpTo(actByForm(text, act)) }),
    sentence: (act) => sentence(actByForm(text, act)),
  };
}

/** What comes after the questions that are looked at, as a part that is open. */
function unread({ acts }: Parts, rest: string): Part {
  const message =
    'There are more questions here than are looked at in one query; this was not. Ask it by itself.';
  const abstention = {
    reason: 'TOO_MANY_QUESTIONS' as const,
    message,
    suggestions: [],
    kind: 'OTHER' as const,
  };
  return { query: rest, act: acts.classify(rest, null), action: 'ABSTAIN', abstention, U: null, tau: null };
}

/** The abstention of a query whose deadline has passed before it was taken up. */
export function expiredQuery(parts: Parts, query: Query): Decision {
  const asked = standing(query.query, query.history ?? []);
  const ledger = new Ledger(withDeadline(parts.budget, query.deadlineMs), () => 0);
  const run: Run = { ...emptyRun(), parts, asked, several: false, ledger, watch: new Stopwatch() };
  const { decision } = explanation(run, query, tooLate(run, thresholdsOf(run, query, asked.text)));
  return { ...decision, timings: { total: 0 } };
}

function emptyRun() {
  return {
    signal: undefined,
    observe: undefined,
    compose: undefined,
    trail: null,
    routed: null,
    settled: null,
    defaults: [],
    votes: [],
  };
}

/** One way from a text to an outcome and its words. */
async function routed(run: Run, query: Query, text: string, thresholds: Thresholds): Promise<Routing> {
  const { parts, watch, signal, asked } = run;
  const vector = await watch.time('embed', () => embedOne(parts.scorers, text, signal));
  const { act, claim } = await watch.time('act', () =>
    asClaim(parts.acts.classify(text, vector), text, (said) => parts.retrieval.coverage(said)),
  );
  const trail = { ...emptyTrail(parts, claim?.text ?? text, asked.history, act), stated: claim };
  run.trail = trail;
  run.observe?.({ stage: 'act', query: text, act });
  const decision =
    screenQuery(text, act, thresholds) ??
    (await gather(run, trail, vector, query.filters, thresholds)) ??
    (await decided(run, trail, thresholds));
  const placed = enoughSources(byPlaces(worthAsking(decision, trail), trail, parts), trail);
  const outcome = onceAsked(unlessMisspelt(placed, trail), trail);
  const composed =
    run.compose === undefined ? null : await composedApart(run, trail, run.compose === 'bound');
  const given = await watch.time('answer', () => answered(run, trail, outcome));
  return {
    trail,
    outcome,
    told: await watch.time('word', () => told(outcome, trail)),
    answered: given,
    composed,
  };
}

/** Gates, layers and thresholds decide; a planner or the hard gate, where one has the last word, after them. */
function weighed({ decider, planner, hardGate }: Parts, trail: Trail, thresholds: Thresholds): Outcome {
  trail.planned = planner === null || trail.planning === null ? null : planUnder(planner, trail.planning);
  const outcome = decide(trail, thresholds);
  if (decider === 'hard-gate') return gated(trail, outcome, hardGate);
  if (decider === 'relevance') return byRelevance(trail, outcome);
  if (decider === 'thresholds' || planner === null || trail.planned === null) return outcome;
  return planned(trail, outcome, planner, trail.planned);
}

/** Where U against tau decides, once more with what a language model makes of the evidence, where one is to be asked. */
async function decided(run: Run, trail: Trail, thresholds: Thresholds): Promise<Outcome> {
  const { parts, watch, signal } = run;
  const outcome = await watch.time('decide', () => weighed(parts, trail, thresholds));
  const [chosen] = trail.answers.clusters;
  if (parts.sampler === null || parts.decider !== 'thresholds') return outcome;
  if (outcome.gate !== null || chosen === undefined) return outcome;
  const asked = { question: trail.query, passages: trail.evidence, candidate: chosen.text, signal };
  trail.opinion = await watch.time('sample', () => parts.sampler!.draw(asked));
  return watch.time('decide', () => weighed(parts, trail, thresholds));
}

/** What the query says about the turn before it is a vote, where habits are learned. */
async function heard(
  { parts, watch, votes, signal }: Run,
  query: Query,
  options: RouteOptions,
): Promise<void> {
  const { habits } = parts;
  const { history = [] } = query;
  if (habits === null || history.length === 0) return;
  const said = { ...callerOf(query, options), query: query.query, history, signal };
  votes.push(...(await watch.time('defaults', () => habits.hear(said))));
}

/**
 * Where the user would be asked and a value is known, by habit or because the query itself names it, the value is put
 * into the query and that is routed instead, out of what the ledger has left. Where nothing is found with it the user
 * is asked after all.
 */
async function settled(run: Run, query: Query, first: Routing, options: RouteOptions): Promise<Routing> {
  const { parts, asked, several, watch, defaults, votes, signal } = run;
  const { habits } = parts;
  const { question } = first.told;
  if (habits === null || question === null) return first;
  const asking = { ...callerOf(query, options), text: asked.text, question, signal };
  const found = await watch.time('defaults', () => habits.settle(asking));
  if (found === null) return first;
  defaults.push(found.use);
  if (found.query !== null) {
    run.routed = found.query;
    run.settled = found;
    const thresholds = thresholdsOf(run, query, found.query, { defaulted: true, several });
    const second = await routed(run, query, found.query, thresholds);
    if (second.outcome.action === 'ANSWER') return second;
    run.routed = null;
    run.settled = null;
    const failed = await watch.time('defaults', () => habits.failed(found));
    defaults.push(failed.use);
    votes.push(...failed.votes);
  }
  return askedInstead(first, found.question);
}

/** Consent to an answer that nobody got is none. */
function lapse({ parts: { habits }, settled, defaults }: Run): void {
  if (habits !== null && settled !== null) defaults.push(habits.lapsed(settled));
}

/** The same outcome with another wording of its question. */
function askedInstead(routing: Routing, question: NonNullable<Routing['told']['question']>): Routing {
  const refusal = routing.outcome.clarification!;
  return { ...routing, told: { clarification: asked(refusal, question), question } };
}

function callerOf({ id, conditions, defaults: overrule }: Query, { tenant }: RouteOptions) {
  return { id, conditions, overrule, tenant };
}

/** What the gathering had come to when the time was up; too late for the query's vector the words alone say which act it is. */
function tooLate(run: Run, thresholds: Thresholds): Routing {
  return cutShort(run, thresholds, { deadlineExceeded: true });
}

/** The same for another reason; what was gathered may be a part of what there is, and answers nothing. */
function cutShort(
  { parts, asked, trail }: Run,
  thresholds: Thresholds,
  why: Pick<Trail, 'deadlineExceeded' | 'indexUnavailable'>,
): Routing {
  const { text, history } = asked;
  const reached = trail ?? emptyTrail(parts, text, history, parts.acts.classify(text, null));
  const outcome: Outcome = decide({ ...reached, ...why }, thresholds);
  return { trail: reached, outcome, told: told(outcome, reached), answered: null, composed: null };
}

async function embedOne(
  scorers: Scorers,
  text: string,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const [vector] = await scorers.embed([text], { signal });
  return vector!;
}

function withDeadline(budget: Budget, deadlineMs: number | undefined): Budget {
  if (deadlineMs === undefined) return budget;
  return { ...budget, ms: Math.min(deadlineMs, budget.ms ?? Number.POSITIVE_INFINITY) };
}

function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

function aborted(cause: unknown): PragauraError {
  return PragauraError.isInstance(cause) && cause.code === 'ABORTED'
    ? cause
    : new PragauraError('ABORTED', 'The query was cancelled.', { cause });
}
