import { PragauraError } from '../../common/index.ts';
import { actByForm } from '../../router/index.ts';
import { shownOf } from '../labels/wrong.ts';
import { type EProcessState, evidenceOf, freshEProcess, observe, testable } from './e-process.ts';
import { type Baseline, type Plan, planOf, type Watch } from './plan.ts';
import type {
  Alarm,
  Decided,
  Label,
  MonitorState,
  Remembered,
  Status,
  Tally,
  WatchRecord,
} from './records.ts';
import { alarmSentence, guaranteeSentence } from './sentences.ts';

export interface MonitorSettings {
  /** As it was written, for the records; `value` is what is computed with. */
  alpha: { text: string; value: number };
  /** Fewest queries of the test split with which an act is watched. */
  least: number;
  /** Drift that is of no interest, in [0, 1). */
  slack: number;
  /** Decisions that are remembered until their label comes, and labels until their decision does. */
  remember: number;
}

/** Was this answer wrong, by the rule of the artifact? Null: the label does not say. */
export type Judge = (answer: NonNullable<Remembered['answer']>, label: Label) => boolean | null;

interface Running {
  readonly watch: Watch;
  readonly state: EProcessState;
  /** `evidenceOf(state)`, which takes a logarithm. */
  evidence: number;
  alarmed: boolean;
}

/**
 * Holds a stream of decisions, and the labels that come later, against what the test split of a calibration showed.
 * Pure: no clock, no chance; the same records in the same order give the same alarms. Each alarm is raised once.
 *
 * The promise on false alarms (`planOf`) asks that the stream's queries come as those of the test split did, each drawn
 * by itself (decisions name no document: queries that come in bunches of one cannot be told from a drift, and `slack`
 * is for that), and that which answers are labelled, and in which order, has nothing to do with whether they are right.
 */
export class Monitor {
  readonly plan: Plan;
  readonly #baseline: Baseline;
  readonly #settings: MonitorSettings;
  readonly #judge: Judge;
  readonly #running: Running[];
  readonly #remembered: Map<string, Remembered>;
  readonly #early: Map<string, Label>;
  readonly #tally: Tally;
  #meanAlarmed: boolean;

  /** Throws CALIBRATION_MISMATCH or CONFIGURATION for a state that was kept under another artifact or other settings. */
  constructor(baseline: Baseline, settings: MonitorSettings, judge: Judge, state?: MonitorState) {
    const { alpha, least, slack } = settings;
    this.plan = planOf(baseline, { alpha: alpha.value, least, slack });
    if (state !== undefined) checkState(state, baseline, settings, this.plan);
    this.#baseline = baseline;
    this.#settings = settings;
    this.#judge = judge;
    this.#running = this.plan.watches.map((watch, place) => {
      const { alarmed, ...kept } = state?.watches[place] ?? { ...freshEProcess(), alarmed: false };
      return { watch, state: { ...kept, staked: [...kept.staked] }, evidence: evidenceOf(kept), alarmed };
    });
    this.#meanAlarmed = state?.meanAlarmed ?? false;
    this.#tally = { ...(state?.tally ?? FRESH) };
    this.#remembered = new Map(state?.remembered);
    this.#early = new Map(state?.early);
    while (this.#remembered.size > settings.remember) this.#forgetOldest();
  }

  /** Takes a decision in and gives the alarms that it raises. */
  decided(decision: Decided): Alarm[] {
    const tally = this.#tally;
    const { calibration } = decision.versions;
    // By the artifact, not by the status: an act without a threshold is NOT_CALIBRATED, and part of the test split's rates.
    if (calibration === null) {
      tally.notCalibrated += 1;
      return [];
    }
    if (calibration !== this.#baseline.hash) {
      tally.otherCalibration += 1;
      return [];
    }
    const { id } = decision;
    if (this.#remembered.has(id)) {
      tally.repeated += 1;
      return [];
    }
    const act = actByForm(decision.query, decision.act.label);
    const answered = decision.action === 'ANSWER';
    if (answered && decision.answer === undefined) {
      throw new PragauraError('INVALID_INPUT', 'The action is ANSWER, but there is no answer.');
    }
    // Of a query with a history, filters, a deadline or a default put into it: the test split has none such.
    const restricted = decision.guarantee.status === 'RESTRICTED';
    if (restricted) {
      // Remembered all the same, so that its label waits for nothing.
      tally.restricted += 1;
      return this.#remember(id, { act, answer: null, labelled: false, restricted }, []);
    }
    tally.decisions += 1;
    if (answered) tally.answered += 1;
    const answer = answered ? answerOf(decision.answer!) : null;
    const alarms = this.#observed('coverage', act, answered ? 1 : 0);
    return this.#remember(id, { act, answer, labelled: false, restricted }, alarms);
  }

  /** Takes a label in and gives the alarms that it raises. One whose decision is not known waits for it. */
  labelled(label: Label): Alarm[] {
    this.#tally.labels += 1;
    if (this.#remembered.has(label.id)) return this.#judged(label);
    if (this.#early.has(label.id)) this.#tally.again += 1;
    else this.#early.set(label.id, label);
    if (this.#early.size > this.#settings.remember) {
      this.#early.delete(this.#early.keys().next().value!);
      this.#tally.unknown += 1;
    }
    return [];
  }

  /** Counts a query that could not be decided: a class of its own, neither answered nor not. */
  failed(): void {
    this.#tally.failed += 1;
  }

  status(final: boolean): Status {
    const { alpha, least, remember } = this.#settings;
    let waiting = 0;
    for (const { answer, labelled } of this.#remembered.values())
      if (answer !== null && !labelled) waiting += 1;
    return {
      schema: 'pragaura.monitor-status/1',
      calibration: this.#baseline.hash,
      final,
      alpha: alpha.text,
      guarantee: guaranteeSentence(this.plan, alpha.text),
      alarms: this.#running.filter(({ alarmed }) => alarmed).length + (this.#meanAlarmed ? 1 : 0),
      tally: { ...this.#tally },
      waiting: { answers: waiting, labels: this.#early.size, most: remember },
      watches: this.#running.map((running) => this.#record(running)),
      unwatched: this.plan.unwatched.map(({ act, n }) => ({ act, n, least })),
      mean: {
        evidence: this.#meanEvidence(),
        threshold: this.plan.meanThreshold,
        alarm: this.#meanAlarmed,
      },
    };
  }

  /** Everything that has to be kept to go on later. */
  state(): MonitorState {
    const { alpha, least, slack } = this.#settings;
    return {
      schema: 'pragaura.monitor-state/3',
      calibration: this.#baseline.hash,
      settings: { alpha: alpha.text, least, slack },
      tally: { ...this.#tally },
      watches: this.#running.map(({ state, alarmed }) => ({ ...state, staked: [...state.staked], alarmed })),
      meanAlarmed: this.#meanAlarmed,
      remembered: [...this.#remembered],
      early: [...this.#early],
    };
  }

  /** Keeps a decision for its label, and gives `alarms` with those of a label that came before it. */
  #remember(id: string, decision: Remembered, alarms: Alarm[]): Alarm[] {
    this.#remembered.set(id, decision);
    if (this.#remembered.size > this.#settings.remember) this.#forgetOldest();
    const early = this.#early.get(id);
    if (early === undefined) return alarms;
    this.#early.delete(id);
    return [...alarms, ...this.#judged(early)];
  }

  #judged(label: Label): Alarm[] {
    const decision = this.#remembered.get(label.id)!;
    if (decision.labelled) {
      this.#tally.again += 1;
      return [];
    }
    decision.labelled = true;
    if (decision.restricted) {
      this.#tally.restrictedLabels += 1;
      return [];
    }
    if (decision.answer === null) {
      this.#tally.notAnswered += 1;
      return [];
    }
    const wrong = label.correct === undefined ? this.#judge(decision.answer, label) : !label.correct;
    if (wrong === null) {
      this.#tally.silent += 1;
      return [];
    }
    this.#tally.judged += 1;
    return this.#observed('risk', decision.act, wrong ? 1 : 0);
  }

  #observed(figure: Watch['figure'], act: Remembered['act'], x: number): Alarm[] {
    const alarms: Alarm[] = [];
    for (const running of this.#running) {
      const { watch } = running;
      if (watch.figure !== figure || (watch.act !== null && watch.act !== act) || !testable(watch)) continue;
      observe(running.state, watch, x);
      running.evidence = evidenceOf(running.state);
      if (running.alarmed || running.evidence < this.plan.threshold) continue;
      running.alarmed = true;
      alarms.push(this.#alarm(this.#record(running)));
    }
    // A watch that alone has enough brings the mean of all up to its own bar: then nothing new is said.
    const enough = this.#meanEvidence() >= this.plan.meanThreshold;
    if (enough && !this.#meanAlarmed && !this.#running.some(({ alarmed }) => alarmed)) {
      this.#meanAlarmed = true;
      alarms.push(this.#alarm(null));
    }
    return alarms;
  }

  #meanEvidence(): number {
    if (this.#running.length === 0) return 0;
    return this.#running.reduce((sum, { evidence }) => sum + evidence, 0) / this.#running.length;
  }

  #alarm(watch: WatchRecord | null): Alarm {
    const { decisions, labels } = this.#tally;
    const alpha = this.#settings.alpha.text;
    return {
      schema: 'pragaura.alarm/1',
      calibration: this.#baseline.hash,
      decisions,
      labels,
      sentence: alarmSentence(watch),
      alpha,
      watch,
    };
  }

  #record({ watch, state, evidence, alarmed }: Running): WatchRecord {
    const { figure, act, direction, against, reference, bound } = watch;
    const { n, sum, recent } = state;
    return {
      figure,
      act,
      direction,
      against,
      reference,
      bound,
      n,
      mean: n === 0 ? null : sum / n,
      recent,
      evidence,
      threshold: this.plan.threshold,
      alarm: alarmed,
    };
  }

  #forgetOldest(): void {
    const [id, { answer, labelled }] = this.#remembered.entries().next().value!;
    this.#remembered.delete(id);
    if (answer !== null && !labelled) this.#tally.forgotten += 1;
  }
}

/** The first quote of a span is the span. */
function answerOf(answer: NonNullable<Decided['answer']>): NonNullable<Remembered['answer']> {
  return { span: answer.form === 'span' ? answer.quotes[0]!.text : null, shown: shownOf(answer) };
}

const FRESH: Tally = {
  decisions: 0,
  answered: 0,
  repeated: 0,
  notCalibrated: 0,
  otherCalibration: 0,
  restricted: 0,
  failed: 0,
  labels: 0,
  judged: 0,
  notAnswered: 0,
  again: 0,
  silent: 0,
  restrictedLabels: 0,
  forgotten: 0,
  unknown: 0,
};

function checkState(
  { calibration, settings: kept, watches }: MonitorState,
  { hash }: Baseline,
  { alpha, least, slack }: MonitorSettings,
  plan: Plan,
): void {
  const hint = 'Name another state file to begin anew.';
  if (calibration !== hash) {
    throw new PragauraError(
      'CALIBRATION_MISMATCH',
      `The state was kept under the calibration ${calibration}, not under ${hash}.`,
      { hint },
    );
  }
  const differing = [
    ...(kept.alpha === alpha.text ? [] : [`alpha ${kept.alpha}, not ${alpha.text}`]),
    ...(kept.least === least ? [] : [`least ${kept.least}, not ${least}`]),
    ...(kept.slack === slack ? [] : [`slack ${kept.slack}, not ${slack}`]),
  ];
  if (differing.length > 0) {
    // Bars that move after a look at the evidence would cost the promise on false alarms.
    throw new PragauraError('CONFIGURATION', `The state was kept with ${differing.join(', ')}.`, { hint });
  }
  const stakes = freshEProcess().staked.length;
  if (watches.length !== plan.watches.length || watches.some(({ staked }) => staked.length !== stakes)) {
    throw new PragauraError('CONFIGURATION', 'The state was kept by another version of the monitor.', {
      hint,
    });
  }
}
