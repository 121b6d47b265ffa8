import type { Act } from '../../profiles/index.ts';
import type { Random } from '../metrics/random.ts';
import { Monitor } from './monitor.ts';
import type { Baseline, Counts } from './plan.ts';

/** How a stream behaves: shares of acts (summing to one), how often each is answered and how often wrongly. */
export type Rates = readonly { act: Act; share: number; coverage: number; risk: number }[];

export interface World {
  /** Rates of the test split and of the stream until the change. */
  before: Rates;
  /** Rates from the decision `changeAt` on (0: from the first). Absent: the stream never changes. */
  after?: Rates;
  changeAt?: number;
  /** Queries of the test split. */
  testSplit: number;
  /** Decisions of the stream at most; it ends with the first alarm. */
  decisions: number;
  /** Share of answers that get a label. */
  labelled: number;
  alpha: number;
  /** Whether the risk of the test split's world is also what the calibration promises. Default false. */
  promised?: boolean;
}

/** A test split drawn from `rates`, as the artifact would tell it. */
function drawBaseline({ before, testSplit, promised }: World, random: Random): Baseline {
  const fresh = (risk: number): Counts => ({
    n: 0,
    answered: 0,
    judged: 0,
    wrong: 0,
    promisedRisk: promised ? risk : null,
  });
  const average = before.reduce((sum, { share, coverage, risk }) => sum + share * coverage * risk, 0);
  const coverage = before.reduce((sum, { share, coverage }) => sum + share * coverage, 0);
  const all = fresh(average / coverage);
  const acts = new Map(before.map(({ act, risk }) => [act, fresh(risk)]));
  for (let i = 0; i < testSplit; i++) {
    const { act, answered, wrong } = draw(before, random);
    for (const counts of [all, acts.get(act)!]) {
      counts.n += 1;
      if (!answered) continue;
      counts.answered += 1;
      counts.judged += 1;
      if (wrong) counts.wrong += 1;
    }
  }
  return { hash: 'world', all, acts: Object.fromEntries(acts) };
}

function draw(rates: Rates, random: Random): { act: Act; answered: boolean; wrong: boolean } {
  let left = random();
  const chosen =
    rates.find(({ share }) => {
      left -= share;
      return left < 0;
    }) ?? rates.at(-1)!;
  return { act: chosen.act, answered: random() < chosen.coverage, wrong: random() < chosen.risk };
}

/** Calibrates once and runs one stream: the decision (from 1) after which the first alarm came, null if none did. */
export function firstAlarm(world: World, random: Random): number | null {
  const { before, after = before, changeAt = 0, decisions, labelled, alpha } = world;
  const monitor = new Monitor(
    drawBaseline(world, random),
    { alpha: { text: String(alpha), value: alpha }, least: 30, slack: 0, remember: 1 },
    () => null,
  );
  for (let i = 0; i < decisions; i++) {
    const { act, answered, wrong } = draw(i < changeAt ? before : after, random);
    const id = String(i);
    const alarms = monitor.decided({
      schema: 'pragaura.decision/2',
      id,
      action: answered ? 'ANSWER' : 'ABSTAIN',
      act: { label: act },
      ...(answered ? { answer: { text: '', docId: '', passageId: '' } } : {}),
      versions: { calibration: 'world' },
    });
    if (answered && random() < labelled) alarms.push(...monitor.labelled({ id, correct: !wrong }));
    if (alarms.length > 0) return i + 1;
  }
  return null;
}

/** How often and when alarms came over many streams. */
export interface Outcome {
  streams: number;
  alarms: number;
  /** Alarms that came before the change. */
  early: number;
  /** Decisions from the change to the alarm: half of all streams, and nine in ten, had theirs by then; null: not so many had. */
  median: number | null;
  ninetieth: number | null;
}

export function simulate(world: World, streams: number, random: Random): Outcome {
  const changeAt = world.changeAt ?? 0;
  const times = Array.from({ length: streams }, () => firstAlarm(world, random));
  const raised = times.filter((time) => time !== null);
  const delays = times
    .filter((time) => time === null || time > changeAt)
    .map((time) => (time === null ? Number.POSITIVE_INFINITY : time - changeAt))
    .sort((a, b) => a - b);
  const at = (share: number) => {
    const delay = delays[Math.ceil(share * delays.length) - 1];
    return delay === undefined || delay === Number.POSITIVE_INFINITY ? null : delay;
  };
  return {
    streams,
    alarms: raised.length,
    early: raised.filter((time) => time <= changeAt).length,
    median: at(0.5),
    ninetieth: at(0.9),
  };
}
