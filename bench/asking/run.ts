/** `pragaura bench asking`: whole conversations where defaults are learned, and first proposals where to look. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clopperPearson, type Interval } from '../../calibration/index.ts';
import { progress } from '../../common/index.ts';
import { indexDocuments, openRouter } from '../../router/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { type Layout, table, upperShare, withInterval } from '../measure/table.ts';
import { Memo } from '../parity/memo.ts';
import { type ConversationsReport, type Harm, runConversations } from './conversations.ts';
import { DOCUMENTS } from './house.ts';
import { firstPlaces, type Hits, PLACE_SETS, type PlaceSet, type PlacesReport } from './places.ts';

export interface AskingReport {
  schema: 'pragaura.bench-asking/1';
  /** Null where none are asked for. */
  conversations: ConversationsReport | null;
  /** Empty where no questions are asked for. */
  places: PlacesReport[];
}

export interface AskingOptions {
  conversations: number;
  /** Of each set, asked of a collection with folders. */
  questions: number;
  seed: number;
  data: string;
  cache: string;
}

/** Throws what loading, indexing, routing and the stores throw, and ABORTED. */
export async function benchAsking(
  options: AskingOptions,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<AskingReport> {
  const { conversations, questions, seed } = options;
  const scorers = await openScorers({ announce: say });
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-asking-'));
  try {
    const report: AskingReport = {
      schema: 'pragaura.bench-asking/1',
      conversations: conversations === 0 ? null : await inHouse(conversations, seed, scorers, folder, signal),
      places: [],
    };
    for (const set of questions === 0 ? [] : (Object.keys(PLACE_SETS) as PlaceSet[])) {
      const bar = progress(set, questions);
      const told = (count: number) => bar.update(count);
      const places = firstPlaces(set, { ...options, scorers, say, signal, folder, told });
      report.places.push(await places.finally(() => bar.end()));
    }
    return report;
  } finally {
    await scorers.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function inHouse(
  conversations: number,
  seed: number,
  scorers: Scorers,
  folder: string,
  signal: AbortSignal,
): Promise<ConversationsReport> {
  const documents = path.join(folder, 'house');
  for (const [name, text] of Object.entries(DOCUMENTS)) {
    const file = path.join(documents, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const index = path.join(folder, 'index');
  await indexDocuments([documents], { out: index, scorers });
  const bar = progress('conversations', conversations);
  // Few words are said many times: each is scored once.
  const memo = new Memo(scorers);
  const open = (store: string) =>
    openRouter({ index, scorers: memo.scorers, defaults: { store, tenant: 'nobody' } });
  const told = (count: number) => bar.update(count);
  return memo
    .question(() => runConversations({ conversations, seed, folder, signal, told, open }))
    .finally(() => bar.end());
}

/** Whether nothing was asked twice, and the trail is whole. */
export function isSound({ conversations }: AskingReport): boolean {
  return conversations === null || conversations.problems.length === 0;
}

export function renderAsking({ conversations, places }: AskingReport, layout: Layout = table): string {
  const parts = conversations === null ? [] : [conversationsText(conversations, layout)];
  return [...parts, ...(places.length === 0 ? [] : [placesTable(places, layout)])].join('\n\n');
}

function placesTable(places: readonly PlacesReport[], layout: Layout): string {
  const right = ({ good, of }: Hits) =>
    `${withInterval(of === 0 ? null : good / of, of === 0 ? null : (clopperPearson(good, of) as Interval))} of ${of}`;
  return layout(
    [
      ...['set', 'questions', 'asked back, the proposal is right', 'the right one is offered'],
      ...[
        'taken and said, is right',
        'proposed or taken, is right',
        'folder of the best passage, right there',
      ],
      ...['answered without a word of folders, from the right one', 'otherwise'],
    ],
    places.map(({ set, questions, otherwise, ...hits }) => [
      ...[set, String(questions), right(hits.proposed), right(hits.offered), right(hits.taken)],
      ...[right(hits.first), right(hits.best), right(hits.unasked), String(otherwise)],
    ]),
  );
}

function conversationsText(report: ConversationsReport, layout: Layout): string {
  const { actions, instead, outcomes, tampering, problems } = report;
  const of = ({ harmful, tried }: Harm) => [
    String(harmful),
    String(tried),
    tried === 0 ? '–' : `${(100 * upperShare(harmful, tried)).toFixed(3)} %`,
  ];
  const total = Object.values(instead).reduce((sum, count) => sum + count, 0);
  return [
    `${report.conversations} conversations, ${report.turns} turns: ${actions.ANSWER} decisions to answer, ${actions.ASK} to ask back, ${actions.ABSTAIN} to abstain; defaults forgotten ${report.forgotten} times.`,
    layout(
      ['what may go wrong', 'went wrong', 'of', 'at most (95 %, one-sided)'],
      [
        ['conversations with a question back: the same is asked twice', ...of(report.askedTwice)],
        ['questions back: not once on the log of decisions', ...of(report.questions)],
        ['asked about or applied: not once on the trail, as the decision has it', ...of(report.uses)],
        ['asked, or in force and said by nobody: nothing of it on the trail', ...of(report.explained)],
        ['entries read again: changed, gone, or of no decision', ...of(report.entries)],
        ['changes tried in the database: neither refused nor noticed', ...of(tampering)],
      ],
    ),
    `${total} turns came back to what was asked before. Instead of the question: ${instead.reply} went by the reply, ${instead.proposal} by what would have been proposed, ${instead.learned} by a learned default, ${instead.silence} stayed open and said so, ${instead.other} were answered or refused without it.`,
    `Of the changes tried, ${tampering.refused} were refused by the store, ${tampering.noticed} noticed when the trail was read.`,
    layout(
      ['what was done about a missing piece', 'times'],
      Object.entries(outcomes)
        .sort(([, a], [, b]) => b - a)
        .map(([name, count]) => [name, String(count)]),
    ),
    ...problems,
  ].join('\n\n');
}
