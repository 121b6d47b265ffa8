/** The way of one query, from its words to a decision. Each step is a room of its own; this file strings them. */
import { messageOf, PragauraError } from '../common/index.ts';
import {
  type AskedTurn,
  type ClarifyingQuestion,
  corrected,
  mayRepeat,
  repeatedIn,
  type Settled,
  standing,
  stillOpen,
  withoutQuestion,
} from '../conversation/index.ts';
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
import { type Looking, lookingIn, whereToLook } from './where.ts';

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
  const again = parts.habits === null && mayRepeat(asked[0]!.text, query.history ?? []);
  const routings = several ? asked.length : again ? 2 : 1;
  const own = routings > 1 ? { ...parts, share: shareOf(parts.share, routings) } : parts;
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
  let thresholds = thresholdsOf(run, query, run.asked.text, run);
  let routing: Routing;
  try {
    if (first) {
      await heard(run, query, options);
      thresholds = thresholdsOf(run, query, run.asked.text, run);
    }
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
  const filters = looked(parts, query, text)?.filters ?? query.filters;
  const thresholds = thresholdsFor({ ...query, filters }, parts.thresholds, flags);
  if (thresholds.status === 'NOT_CALIBRATED') return thresholds;
  const { tauFor, askUpTo, sentence } = thresholds;
  return {
    ...thresholds,
    tauFor: (act) => tauFor(actByForm(text, act)),
    ...(askUpTo && { askUpTo: (act: Act) => askUpTo(actByForm(text, act)) }),
    sentence: (act) => sentence(actByForm(text, act)),
  };
}

/** Where the text says that it is to be looked: where defaults are learned, users are asked so and may say so. */
function looked({ habits, index }: Parts, { filters }: Query, text: string): Looking | null {
  return habits === null ? null : lookingIn(index, text, filters);
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
    askedBefore: null,
  };
}

/** One way from a text to an outcome and its words. */
async function routed(run: Run, query: Query, said: string, thresholds: Thresholds): Promise<Routing> {
  const { parts, watch, signal, asked } = run;
  const looking = looked(parts, query, said);
  const { text, where, filters } = looking ?? { text: said, where: null, filters: query.filters };
  const vector = await watch.time('embed', () => embedOne(parts.scorers, text, signal));
  const { act, claim } = await watch.time('act', () =>
    asClaim(parts.acts.classify(text, vector), text, (said) => parts.retrieval.coverage(said)),
  );
  const trail = { ...emptyTrail(parts, claim?.text ?? text, asked.history, act), stated: claim, where };
  run.trail = trail;
  run.observe?.({ stage: 'act', query: text, act });
  const decision =
    screenQuery(text, act, thresholds) ??
    (await gather(run, trail, vector, filters, thresholds)) ??
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

/** What the query says about the turn before it is a vote, where habits are learned; what it corrects is asked so. */
async function heard(run: Run, query: Query, options: RouteOptions): Promise<void> {
  const { parts, watch, votes, signal } = run;
  const { habits } = parts;
  const { history = [] } = query;
  if (habits === null || history.length === 0) return;
  const said = { ...callerOf(query, options), query: query.query, history, signal };
  votes.push(...(await watch.time('defaults', () => habits.hear(said))));
  const text = corrected(said, votes[0]);
  if (text === null) return;
  const reason = {
    rule: 'ANSWER' as const,
    from: query.query,
    to: votes[0]!.instead!,
    turn: history.length - 1,
  };
  run.asked = { ...run.asked, text, rewrite: { text, changed: true, reasons: [reason], open: [] } };
}

/**
 * Where the user would be asked and a value is known, by habit, because the query itself names it, or because the user was asked
 * that before, the value is put into the query and that is routed instead, out of what the ledger has left. So it is where folders
 * of the collection answer differently. Where nothing is found with it the user is asked after all; nothing is asked twice.
 */
async function settled(run: Run, query: Query, first: Routing, options: RouteOptions): Promise<Routing> {
  const { parts, asked, watch, defaults, votes, signal } = run;
  const { habits } = parts;
  const where = whereToLook(first.outcome, first.trail, parts);
  const question = where?.question ?? first.told.question;
  const asks = where?.question ?? first.told.clarification;
  if (asks === undefined) return first;
  if (where !== null && where.named !== null)
    return (await withValue(run, query, where.question, where.named)) ?? first;
  if (where !== null && where.said !== null) {
    const { value, turn } = where.said;
    const second = await withValue(run, query, where.question, value);
    if (second === null) return first;
    run.askedBefore = { variable: 'where', turn, value, instead: 'REPLY' };
    return second;
  }
  const { suggestions = [] } = first.told.clarification ?? {};
  const { message } = asks;
  const said = { said: query.query, text: asked.text };
  const again = repeatedIn(asked.history, { ...said, message, suggestions, question });
  const open = () => (again === null ? first : silent(run, first, question, again));
  if (question === null) return open();
  if (again?.values.length === 1 && optionOf(question, again.values[0]!) !== undefined) {
    const [value] = again.values;
    const second = await withValue(run, query, question, value!);
    if (second === null) return open();
    run.askedBefore = { ...turnOf(again), value: value!, instead: 'REPLY' };
    return second;
  }
  if (habits === null) return open();
  const answers = first.outcome.action === 'ANSWER';
  const take = again !== null ? ('ASKED_BEFORE' as const) : answers ? ('ANSWERED' as const) : undefined;
  const asking = {
    ...callerOf(query, options),
    text: asked.text,
    question,
    first: where?.first,
    named: options.named,
    take,
    signal,
  };
  const found = await watch.time('defaults', () => habits.settle(asking));
  if (found === null) return open();
  defaults.push(found.use);
  if (found.query !== null) {
    run.settled = found;
    const second =
      where !== null && liesIn(parts, first, found)
        ? { ...first, trail: { ...first.trail, where: found.use.used } }
        : await instead(run, query, found.query);
    if (second !== null) {
      if (again !== null) run.askedBefore = { ...turnOf(again), value: found.use.used, instead: 'PROPOSAL' };
      return second;
    }
    run.settled = null;
    const failed = await watch.time('defaults', () => habits.failed(found));
    defaults.push(failed.use);
    votes.push(...failed.votes);
  }
  if (again !== null) return open();
  // What one folder answers is not taken back because the store cannot say which is usual.
  if (answers && found.use.reason === 'STORE_UNAVAILABLE') return first;
  return askedInstead(first, found);
}

/** The query routed again with a value that a question offers; null where that is no answer. */
async function withValue(
  run: Run,
  query: Query,
  question: ClarifyingQuestion,
  value: string,
): Promise<Routing | null> {
  const option = optionOf(question, value);
  return option === undefined ? null : instead(run, query, option.query);
}

async function instead(run: Run, query: Query, text: string): Promise<Routing | null> {
  run.routed = text;
  const thresholds = thresholdsOf(run, query, text, { defaulted: true, several: run.several });
  const routing = await routed(run, query, text, thresholds);
  if (routing.outcome.action === 'ANSWER') return routing;
  run.routed = null;
  return null;
}

function optionOf({ options }: ClarifyingQuestion, value: string) {
  return options.find((option) => option.value.toLowerCase() === value.toLowerCase());
}

/** Whether all that an answer quotes lies where a default says that it is to be looked. */
function liesIn({ index }: Parts, { answered: given, outcome }: Routing, { query }: Settled): boolean {
  if (outcome.action !== 'ANSWER') return false;
  const there = new Set(lookingIn(index, query!, undefined)?.filters.docId);
  return (given?.quoted ?? []).every(({ docId }) => there.has(docId));
}

function turnOf({ variable, turn }: AskedTurn) {
  return { variable, turn };
}

/** Not asked again, and nothing is known to answer with. */
function silent(run: Run, first: Routing, question: ClarifyingQuestion | null, again: AskedTurn): Routing {
  const { trail, outcome } = first;
  // Of several folders one has answered: that is not taken back.
  if (outcome.action === 'ANSWER') return first;
  run.askedBefore = { ...turnOf(again), value: null, instead: 'SILENCE' };
  const { clarification, ...rest } = outcome;
  if (clarification === undefined) return first;
  const values = question?.options.map(({ value }) => value) ?? clarification.suggestions;
  const abstention = { ...clarification, message: withoutQuestion(clarification.message) };
  const quiet: Outcome = { ...rest, action: 'ABSTAIN', abstention };
  const words = told(quiet, trail);
  const message = `${words.abstention!.message} ${stillOpen(values)}`.trim();
  return {
    ...first,
    outcome: quiet,
    told: { ...words, abstention: { ...words.abstention!, message } },
    answered: null,
  };
}

/** Consent to an answer that nobody got is none. */
function lapse({ parts: { habits }, settled, defaults }: Run): void {
  if (habits !== null && settled !== null) defaults.push(habits.lapsed(settled));
}

/** The question with what is proposed in it. */
function askedInstead(routing: Routing, { question, proposed }: Settled): Routing {
  const { outcome } = routing;
  const { answer: _, passage: __, places: ___, abstention, ...rest } = outcome;
  const refusal = outcome.clarification ??
    abstention ?? {
      reason: 'UNDERSPECIFIED' as const,
      message: question.message,
      suggestions: [],
    };
  const clarification = asked(refusal, question);
  return {
    ...routing,
    outcome: { ...rest, action: 'ASK', clarification: refusal },
    told: { clarification, question, proposed },
    answered: null,
  };
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
