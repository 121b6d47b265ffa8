/** What the monitor reads, writes and keeps. */
import { z } from 'zod';
import { ACTS } from '../../profiles/index.ts';
import { ACTIONS } from '../../router/index.ts';
import { contradictionOf, saysWhatAnswers } from '../labels/examples.ts';
import { Labelled, Shown } from '../types.ts';

const count = z.number().int().min(0);
const id = z.string().min(1).max(512);
const act = z.enum(ACTS);

/** The part of a decision that is looked at; the rest of the record passes. */
export const Decided = z.object({
  schema: z.literal('pragaura.decision/4'),
  id,
  query: z.string(),
  action: z.enum(ACTIONS),
  act: z.object({ label: act }),
  answer: z
    .object({
      ...Shown.omit({ places: true }).shape,
      quotes: z.array(z.object({ text: z.string(), ...Shown.shape.places.element.shape })).min(1),
    })
    .optional(),
  guarantee: z.object({
    status: z.enum(['NOT_CALIBRATED', 'CALIBRATED', 'RESTRICTED']),
    sentence: z.string(),
  }),
  versions: z.object({ calibration: z.string().nullable() }),
});
export type Decided = z.infer<typeof Decided>;

/** What somebody says of an answer later: right or wrong, or what would have been right. */
export const Label = Labelled.partial({ query: true }).extend({ id, correct: z.boolean().optional() });
export type Label = z.infer<typeof Label>;

/** Why nothing follows from a label, in the middle of a sentence; null where something does. */
export function labelFault(label: Label): string | null {
  const { answerable, correct } = label;
  const labelled = { ...label, query: label.query ?? '' };
  if (correct === undefined && answerable === undefined && !saysWhatAnswers(labelled)) {
    return 'it says nothing of the answer';
  }
  const contradiction = contradictionOf(labelled);
  return contradiction === null ? null : `it contradicts itself, ${contradiction}`;
}

export const Tally = z.strictObject({
  /** Decisions that were looked at. */
  decisions: count,
  answered: count,
  /** Decisions under this artifact whose id is among those remembered: the same decision again. */
  repeated: count,
  /** Not looked at: made without any artifact, or under another one. */
  notCalibrated: count,
  otherCalibration: count,
  /** Not looked at: the test split has no queries with a history, filters, a deadline or a default put into them. */
  restricted: count,
  /** Error records of `route`: queries that could not be decided. */
  failed: count,
  labels: count,
  /** Of the labels: those that judged an answer, came for a query that was not answered, came again, say nothing. */
  judged: count,
  notAnswered: count,
  again: count,
  silent: count,
  /** Further ones: came for a restricted decision. */
  restrictedLabels: count,
  /** Dropped because more is not remembered: answers without a label, labels without a decision. */
  forgotten: count,
  unknown: count,
});
export type Tally = z.infer<typeof Tally>;

/** A decision that a label may still come for. */
export const Remembered = z.strictObject({
  act,
  /** `span`: the very words, where the answer is a span; null where its form does not tell which they are. */
  answer: z.strictObject({ span: z.string().nullable(), shown: Shown }).nullable(),
  labelled: z.boolean(),
  /** Its label is dropped, and it has no answer here. */
  restricted: z.boolean(),
});
export type Remembered = z.infer<typeof Remembered>;

const EProcess = z.strictObject({
  n: count,
  sum: z.number().min(0),
  recent: z.number().nullable(),
  staked: z.array(z.number().min(0)),
  alarmed: z.boolean(),
});

/** Everything that has to be known to go on. */
export const MonitorState = z.strictObject({
  schema: z.literal('pragaura.monitor-state/3'),
  calibration: z.string(),
  settings: z.strictObject({ alpha: z.string(), least: count, slack: z.number() }),
  tally: Tally,
  watches: z.array(EProcess),
  meanAlarmed: z.boolean(),
  /** Oldest first. */
  remembered: z.array(z.tuple([id, Remembered])),
  early: z.array(z.tuple([id, Label])),
});
export type MonitorState = z.infer<typeof MonitorState>;

const share = z.number().min(0).max(1);

/** A watch as it stands. */
const WatchRecord = z.strictObject({
  figure: z.enum(['coverage', 'risk']),
  /** Null: all acts together. */
  act: act.nullable(),
  direction: z.enum(['up', 'down']),
  against: z.enum(['realised', 'promised']),
  /** k of n on the artifact's test split, with the mean over its documents where these are counted. */
  reference: z.strictObject({
    k: count,
    n: count,
    documents: z.strictObject({ n: count, mean: share }).nullable(),
  }),
  /** The mean that is still no drift. */
  bound: share,
  /** Observations of the stream, their mean, and that of the latest hundred or so. */
  n: count,
  mean: share.nullable(),
  recent: share.nullable(),
  evidence: z.number().min(0),
  threshold: z.number().min(0),
  alarm: z.boolean(),
});
export type WatchRecord = z.infer<typeof WatchRecord>;

export const Alarm = z.strictObject({
  schema: z.literal('pragaura.alarm/1'),
  calibration: z.string(),
  /** After so many decisions and labels of this artifact. */
  decisions: count,
  labels: count,
  sentence: z.string(),
  alpha: z.string(),
  /** Null: no watch alone, but the mean evidence of all of them. */
  watch: WatchRecord.nullable(),
});
export type Alarm = z.infer<typeof Alarm>;

export const Status = z.strictObject({
  schema: z.literal('pragaura.monitor-status/1'),
  calibration: z.string(),
  /** True when this is the last record of a run. */
  final: z.boolean(),
  alpha: z.string(),
  guarantee: z.string(),
  alarms: count,
  tally: Tally,
  /** Answers that wait for a label, labels that wait for a decision, and how many of each are remembered at most. */
  waiting: z.strictObject({ answers: count, labels: count, most: count }),
  watches: z.array(WatchRecord),
  unwatched: z.array(z.strictObject({ act, n: count, least: count })),
  mean: z.strictObject({ evidence: z.number().min(0), threshold: z.number().min(0), alarm: z.boolean() }),
});
export type Status = z.infer<typeof Status>;
