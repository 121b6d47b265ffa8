/** What is scored to compare arithmetics: pairs and texts of public sets with what is right for each. */
import { randomInteger, seededRandom } from '../../common/index.ts';
import type { QueryPassage, Scorers } from '../../scorers/index.ts';
import { parseTsv, readDataFile } from '../datasets/files.ts';
import { loadDataset } from '../datasets/index.ts';

export interface Workload {
  /** Questions with a paragraph of their article: the right one, and in turns another. */
  pairs: (QueryPassage & { right: boolean; answers: readonly string[] })[];
  claims: (Parameters<Scorers['nli']>[0][number] & { label: Label })[];
  /** `of`: the place of the paragraph that a question was asked about; a paragraph has none. */
  texts: { text: string; of?: number }[];
}

const LABELS = ['entailment', 'neutral', 'contradiction'] as const;
export type Label = (typeof LABELS)[number];

/** Half of a job's items each. */
const ENTAILMENT = ['nli/mnli/mnli_dev_matched.tsv.gz', 'nli/snli/snli_dev.tsv.gz'];

/** `count` items a job, the same every time. Throws NOT_FOUND, or UNREADABLE_DOCUMENT for a file that is another. */
export async function workloadOf(dir: string, count: number): Promise<Workload> {
  const random = seededRandom(22);
  const drawn = <T>(from: readonly T[], size: number): T[] => {
    const left = [...from];
    const wanted = Math.min(size, left.length);
    return Array.from({ length: wanted }, () => left.splice(randomInteger(random, left.length), 1)[0]!);
  };
  const { documents, queries } = await loadDataset('articles-a', dir, { titles: true });
  const byId = new Map(documents.map((document) => [document.docId, document]));
  const pairs = drawn(queries, count).map(({ query, answers, relevant, group }, i) => {
    const own = byId.get(relevant[0]!.docId)!;
    const others = documents.filter((document) => document !== own && document.docId.startsWith(`${group}#`));
    const right = i % 2 === 0 || others.length === 0;
    const { text, title } = right ? own : others[randomInteger(random, others.length)]!;
    return { query, passage: text, title, right, answers };
  });

  const files = await Promise.all(
    ENTAILMENT.map(async (file) => claimsOf(await readDataFile(dir, file), file)),
  );
  const claims = files.flatMap((rows) => drawn(rows, Math.ceil(count / files.length))).slice(0, count);

  const paragraphs = drawn(documents, Math.ceil(count / 2));
  const places = new Map(paragraphs.map(({ docId }, place) => [docId, place]));
  const asked = queries.filter(({ relevant }) => places.has(relevant[0]!.docId));
  const texts = [
    ...paragraphs.map(({ text }) => ({ text })),
    ...drawn(asked, count - paragraphs.length).map(({ query, relevant }) => ({
      text: query,
      of: places.get(relevant[0]!.docId)!,
    })),
  ];
  return { pairs, claims, texts };
}

function claimsOf(tsv: string, file: string): Workload['claims'] {
  return parseTsv(tsv, file, ['label', 'premise', 'hypothesis']).flatMap(({ label, premise, hypothesis }) => {
    const known = LABELS.find((each) => each === label);
    return known === undefined ? [] : [{ label: known, premise, hypothesis }];
  });
}
