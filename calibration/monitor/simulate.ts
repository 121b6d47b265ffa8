import type { Random } from '../../common/index.ts';
import type { Act } from '../../profiles/index.ts';
import { meanByDocument } from '../metrics/by-document.ts';
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
  /** Absent: no two queries are about one document. */
  documents?: Documents;
  /** Decisions of the stream at most; it ends with the first alarm. */
  decisions: number;
  /** Share of answers that get a label. */
  labelled: number;
  alpha: number;
  /** Whether the risk of the test split's world is also what the calibration promises. Default false. */
  promised?: boolean;
  /** See `MonitorSettings`. Default 0. */
  slack?: number;
}

/**
 * Documents unlike each other: each one's coverage lies above or below that of its world by so much, as a coin falls, and
 * its risk likewise, by a coin of its own.
 */
export interface Documents {
  coverage: number;
  risk: number;
  /** Queries about each document of the test split. */
  each: number;
  /** In the stream so many queries in a row are about one document. */
  inARow: number;
  /** Whether the bounds count documents, as those of an artifact by documents do, or queries. */
  counted: boolean;
}

interface Drawn {
  act: Act;
  answered: boolean;
  wrong: boolean;
}

/** A test split drawn from the world, as the artifact would tell it. */
function drawBaseline({ before, testSplit, promised, documents }: World, random: Random): Baseline {
  const each = documents?.each ?? 1;
  let document = drawDocument(documents, random);
  const drawn = Array.from({ length: testSplit }, (_, i) => {
    if (i % each === 0) document = drawDocument(documents, random);
    return { ...draw(before, document, random), document: String(Math.floor(i / each)) };
  });
  const average = before.reduce((sum, { share, coverage, risk }) => sum + share * coverage * risk, 0);
  const coverage = before.reduce((sum, { share, coverage }) => sum + share * coverage, 0);
  const countsOf = (items: readonly (Drawn & { document: string })[], risk: number): Counts => {
    const answers = items.filter(({ answered }) => answered);
    const isOf = ({ document }: { document: string }) => document;
    return {
      n: items.length,
      answered: answers.length,
      judged: answers.length,
      wrong: answers.filter(({ wrong }) => wrong).length,
      promisedRisk: promised ? risk : null,
      byDocument: documents?.counted
        ? {
            coverage: meanByDocument(items, isOf, ({ answered }) => answered),
            risk: meanByDocument(answers, isOf, ({ wrong }) => wrong),
            failed: 0,
          }
        : null,
    };
  };
  return {
    hash: 'world',
    all: countsOf(drawn, average / coverage),
    acts: Object.fromEntries(
      before.map(({ act, risk }) => [
        act,
        countsOf(
          drawn.filter((item) => item.act === act),
          risk,
        ),
      ]),
    ),
  };
}

/** By how much a document's rates differ from those of its world. */
interface Unlike {
  coverage: number;
  risk: number;
}

function drawDocument(documents: Documents | undefined, random: Random): Unlike {
  if (documents === undefined) return { coverage: 0, risk: 0 };
  const sign = () => (random() < 0.5 ? 1 : -1);
  return { coverage: sign() * documents.coverage, risk: sign() * documents.risk };
}

function draw(rates: Rates, unlike: Unlike, random: Random): Drawn {
  let left = random();
  const chosen =
    rates.find(({ share }) => {
      left -= share;
      return left < 0;
    }) ?? rates.at(-1)!;
  return {
    act: chosen.act,
    answered: random() < chosen.coverage + unlike.coverage,
    wrong: random() < chosen.risk + unlike.risk,
  };
}

/** Calibrates once and runs one stream: the decision (from 1) after which the first alarm came, null if none did. */
export function firstAlarm(world: World, random: Random): number | null {
  const { before, after = before, changeAt = 0, decisions, labelled, alpha, documents, slack = 0 } = world;
  const monitor = new Monitor(
    drawBaseline(world, random),
    { alpha: { text: String(alpha), value: alpha }, least: 30, slack, remember: 1 },
    () => null,
  );
  let document = drawDocument(documents, random);
  for (let i = 0; i < decisions; i++) {
    if (i % (documents?.inARow ?? 1) === 0) document = drawDocument(documents, random);
    const { act, answered, wrong } = draw(i < changeAt ? before : after, document, random);
    const id = String(i);
    const alarms = monitor.decided({
      schema: 'pragaura.decision/4',
      id,
      query: '',
      action: answered ? 'ANSWER' : 'ABSTAIN',
      act: { label: act },
      ...(answered
        ? {
            answer: {
              form: 'span',
              text: '',
              verdict: null,
              quotes: [{ text: '', docId: '', passageId: '' }],
            },
          }
        : {}),
      guarantee: { status: 'CALIBRATED', sentence: '' },
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
