import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import {
  columns,
  EXIT,
  messageOf,
  PragauraError,
  parseAs,
  plainLine,
  type RecordsSummary,
  runRecords,
  toLine,
} from '../../common/index.ts';
import { readArtifact } from '../artifact/load.ts';
import { asNumber, levelOf } from '../levels/level.ts';
import { baselineOf, judgeOf } from '../monitor/baseline.ts';
import { Monitor } from '../monitor/monitor.ts';
import { type Alarm, Decided, Label, labelFault, type Status, type Tally } from '../monitor/records.ts';
import { documentsSentence } from '../monitor/sentences.ts';
import { openStateFile, type StateFile } from '../monitor/state-file.ts';

export interface MonitorStreamOptions {
  calibration: string;
  /** File or FIFO of labels; a file is read after the input has ended, anything else beside it. */
  labels: string | undefined;
  state: string | undefined;
  alpha: string;
  least: number;
  slack: number;
  remember: number;
  /** A status after so many decisions; 0: at the end only. */
  every: number;
  text: boolean;
  failOnAlarm: boolean;
  input: Readable;
  output: Writable;
  say: (message: string) => void;
  signal: AbortSignal;
}

type Item = { kind: 'decision'; decision: Decided } | { kind: 'label'; label: Label } | { kind: 'failed' };

const EXAMPLES =
  'A line is a decision of "pragaura route", or a label such as {"id": "q1", "correct": true} or {"id": "q1", "answers": ["1666"]}.';
const parseDecision = parseAs(Decided, EXAMPLES);
const parseLabel = parseAs(Label, EXAMPLES);

/** Watches a stream until it ends and gives the exit code. Throws what `readArtifact` and `openStateFile` throw. */
export async function runMonitor(options: MonitorStreamOptions): Promise<number> {
  const level = levelOf('alpha', options.alpha);
  const artifact = await readArtifact(options.calibration);
  const kind = options.labels === undefined ? null : await kindOf(options.labels);
  const file = options.state === undefined ? null : await openStateFile(options.state);
  try {
    const monitor = new Monitor(
      baselineOf(artifact),
      { ...options, alpha: { text: level.text, value: asNumber(level) } },
      judgeOf(artifact),
      file?.kept,
    );
    const rests = documentsSentence(monitor.plan);
    if (rests !== null) options.say(`pragaura: ${rests}`);
    return await watch(monitor, kind, file, options);
  } finally {
    file?.close();
  }
}

async function watch(
  monitor: Monitor,
  labels: 'file' | 'pipe' | null,
  file: StateFile | null,
  options: MonitorStreamOptions,
): Promise<number> {
  const { input, output, say, text, every, signal } = options;
  let sinceStatus = 0;
  const shown = (records: readonly (Alarm | Status)[]) => records.map(text ? inWords : toLine).join('');
  const take = async (item: Item): Promise<readonly (Alarm | Status)[]> => {
    if (item.kind === 'failed') {
      monitor.failed();
      return [];
    }
    const alarms: Alarm[] =
      item.kind === 'label' ? monitor.labelled(item.label) : monitor.decided(item.decision);
    if (!text) for (const { sentence } of alarms) say(`pragaura: ALARM: ${plainLine(sentence)}`);
    if (item.kind === 'label' || every === 0 || ++sinceStatus < every) return alarms;
    sinceStatus = 0;
    await file?.save(monitor.state());
    return [...alarms, monitor.status(false)];
  };
  const run = (source: Readable, name: string) =>
    runRecords({
      input: source,
      output,
      window: 1,
      signal,
      errors: (message) => say(`pragaura: ${name}${message}`),
      parse: itemOf,
      process: take,
      encode: shown,
      errorRecords: !text,
    });
  const labelled = () => run(createReadStream(options.labels!), `${options.labels}: `);

  const summaries: RecordsSummary[] = [];
  if (labels === 'pipe') {
    // Both to their ends, also when one of them fails.
    const ended = await Promise.allSettled([run(input, ''), labelled()]);
    for (const end of ended) {
      if (end.status === 'rejected') throw end.reason;
      summaries.push(end.value);
    }
  } else {
    summaries.push(await run(input, ''));
    if (labels === 'file' && !signal.aborted) summaries.push(await labelled());
  }

  await file?.save(monitor.state());
  const status = monitor.status(true);
  if (!summaries.some(({ outputClosed }) => outputClosed)) {
    await new Promise<void>((resolve) => output.write(shown([status]), () => resolve()));
  }
  for (const remark of remarksOn(status)) say(`pragaura: ${remark}`);
  return exitCodeOf(summaries, status, options);
}

function exitCodeOf(
  summaries: readonly RecordsSummary[],
  { alarms, tally }: Status,
  { failOnAlarm }: MonitorStreamOptions,
): number {
  if (summaries.some(({ interrupted }) => interrupted)) return EXIT.INTERRUPTED;
  const worst = Math.max(...summaries.map(({ exitCode }) => exitCode));
  if (worst > EXIT.BAD_LINES) return worst;
  if (failOnAlarm && alarms > 0) return EXIT.FAILED;
  return tally.notCalibrated + tally.otherCalibration > 0 ? EXIT.BAD_LINES : worst;
}

function itemOf(value: unknown): Item {
  const { schema } = Object(value) as { schema?: unknown };
  if (schema === 'pragaura.error/1') return { kind: 'failed' };
  if (schema !== undefined) return { kind: 'decision', decision: parseDecision(value) };
  const label = parseLabel(value);
  const fault = labelFault(label);
  if (fault !== null) {
    throw new PragauraError('INVALID_INPUT', `The label cannot be used: ${fault}.`, { hint: EXAMPLES });
  }
  return { kind: 'label', label };
}

async function kindOf(path: string): Promise<'file' | 'pipe'> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Error('it is a folder');
    return found.isFile() ? 'file' : 'pipe';
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `The labels ${path} cannot be read: ${messageOf(error)}`, {
      hint: 'Name a file or a named pipe with one label a line.',
      cause: error,
    });
  }
}

function inWords(record: Alarm | Status): string {
  if (record.schema === 'pragaura.monitor-status/1') return `${renderStatus(record)}\n`;
  return `ALARM after ${record.decisions} decisions: ${plainLine(record.sentence)}\n`;
}

/** What a person should know of records that did not count. */
function remarksOn({ tally, waiting }: Status): string[] {
  const told: [keyof Tally, string][] = [
    ['notCalibrated', 'decisions were made without a calibration and not looked at'],
    ['otherCalibration', 'decisions were made under another calibration and not looked at'],
    [
      'restricted',
      'decisions are about queries with a history, filters, a deadline or a default put into them; the test split has none such, and they were not looked at',
    ],
    ['failed', 'queries could not be decided; they count neither as answered nor as not answered'],
    [
      'repeated',
      'decisions have an id that was decided before and did not count; queries need ids of their own',
    ],
    ['forgotten', `answers were forgotten before a label came; --remember keeps ${waiting.most}`],
    ['unknown', 'labels were dropped before a decision came with their id'],
    ['again', 'labels came for what had one and did not count'],
    ['silent', 'labels do not say whether the answer is right'],
  ];
  return told.flatMap(([name, words]) => (tally[name] > 0 ? [`${tally[name]} ${words}.`] : []));
}

const share = (value: number | null) => (value === null ? '–' : value.toFixed(3));
const evidence = (value: number) => (value < 1e6 ? value.toFixed(2) : value.toExponential(1));

/** A status for people: a line a watch. */
function renderStatus({ tally, watches, unwatched, alarms, guarantee, waiting, mean }: Status): string {
  const rows = watches.map((watch) => [
    `${watch.figure} ${watch.direction}${watch.against === 'promised' ? ' (promised)' : ''}`,
    watch.act ?? 'all acts',
    `${watch.reference.k}/${watch.reference.n}`,
    share(watch.bound),
    String(watch.n),
    share(watch.mean),
    share(watch.recent),
    evidence(watch.evidence),
    watch.alarm ? 'ALARM' : '',
  ]);
  rows.push(['together', '', '', '', '', '', '', evidence(mean.evidence), mean.alarm ? 'ALARM' : '']);
  return [
    `${tally.decisions} decisions, ${tally.answered} answered, ${tally.judged} judged, ${alarms} alarms; ` +
      `${tally.restricted} restricted not looked at; ` +
      `${waiting.answers} answers wait for a label, ${waiting.labels} labels for a decision`,
    ...columns(
      [['watch', 'act', 'test', 'bound', 'n', 'mean', 'lately', 'evidence', ''], ...rows],
      (at) => at < 2,
    ),
    ...unwatched.map(
      ({ act, n, least }) => `not watched: ${act}, ${n} queries in the test split, ${least} needed`,
    ),
    guarantee,
    '',
  ].join('\n');
}
