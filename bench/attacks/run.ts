/** What of documents that talk to the machine which reads them is noticed, and what of harmless ones is taken for such. */
import path from 'node:path';
import { clopperPearson, type Interval } from '../../calibration/index.ts';
import { addressesMachine, loadPoisonDetector, openIndex } from '../../router/index.ts';
import { loadDataset } from '../datasets/index.ts';
import { ATTACKS, INNOCENT } from '../decisions/sets/poison-texts.ts';
import { type Layout, share, table, withInterval } from '../measure/table.ts';
import { servicesRules, wordings } from './fit.ts';

/** Where the wordings that nothing was fitted on stand in the repository. */
const WORDINGS = 'bench/attacks';
const VALUE = '1950';

export interface AttacksReport {
  schema: 'pragaura.bench-attacks/1';
  rows: { texts: string; attacks: boolean; n: number; flagged: number; interval: Interval | null }[];
  /** Milliseconds a passage, mean over the public ones. */
  msPerPassage: number;
}

/** `model`: folder of the detector. Throws NOT_FOUND and UNREADABLE_DOCUMENT for data, MODEL_UNUSABLE for the detector. */
export async function benchAttacks(
  data: string,
  indexes: readonly string[],
  model: string,
): Promise<AttacksReport> {
  const detector = loadPoisonDetector(model);
  const [unseen, harmless, articles, rules] = await Promise.all([
    wordings(WORDINGS, 'unseen.ndjson'),
    wordings(WORDINGS, 'harmless.ndjson'),
    loadDataset('articles-a', data),
    servicesRules(data, 'dev'),
  ]);
  const inEnglish = ({ lang }: { lang: string }) => lang === 'en';
  const passages = [...articles.documents.map(({ text }) => text), ...rules];
  const rowOf = (texts: string, attacks: boolean, all: readonly string[]): AttacksReport['rows'][number] => {
    const flagged = all.filter(
      (text) => addressesMachine(text.replaceAll('{value}', VALUE), detector) !== null,
    ).length;
    return { texts, attacks, n: all.length, flagged, interval: clopperPearson(flagged, all.length) };
  };
  const textsOf = (rows: readonly { text: string }[]) => rows.map(({ text }) => text);
  const opened = await Promise.all(
    indexes.map(async (dir) => {
      const index = await openIndex(dir);
      return {
        name: path.basename(dir),
        texts: index.passages.map(({ title, text }) => `${title}\n${text}`),
      };
    }),
  );
  const start = performance.now();
  const ofPassages = rowOf('paragraphs of SQuAD dev and rules of ConditionalQA dev', false, passages);
  const msPerPassage = (performance.now() - start) / passages.length;
  return {
    schema: 'pragaura.bench-attacks/1',
    rows: [
      rowOf('forty wordings, seen by whoever chose the detector', true, ATTACKS),
      rowOf('wordings never looked at, English', true, textsOf(unseen.filter(inEnglish))),
      rowOf('the same in five other languages', true, textsOf(unseen.filter((row) => !inEnglish(row)))),
      rowOf('orders to people', false, INNOCENT),
      rowOf('harmless texts about instructions, English', false, textsOf(harmless.filter(inEnglish))),
      rowOf('the same in five other languages', false, textsOf(harmless.filter((row) => !inEnglish(row)))),
      ofPassages,
      ...opened.map(({ name, texts }) => rowOf(`passages of ${name}`, false, texts)),
    ],
    msPerPassage,
  };
}

export function renderAttacks({ rows, msPerPassage }: AttacksReport, layout: Layout = table): string {
  return [
    layout(
      ['texts', 'talk to a machine', 'n', 'flagged', 'share'],
      rows.map(({ texts, attacks, n, flagged, interval }) => [
        texts,
        attacks ? 'yes' : 'no',
        String(n),
        String(flagged),
        withInterval(n === 0 ? null : flagged / n, interval, share),
      ]),
    ),
    `${msPerPassage.toFixed(2)} ms a passage`,
  ].join('\n');
}
