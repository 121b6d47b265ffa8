/** Reads the public sets. All of them lie in one folder that the caller names; a missing file stops with its name. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { PragauraError } from '../../../common/index.ts';
import { ACTS, type Act } from '../../../profiles/index.ts';
import { type Labelled, nfAct, nfDirectAct, surfaceAct, trecAct } from './labels.ts';

export interface Example {
  text: string;
  act: Act;
  /** Asks for a point in time; under the other reading of dates its act is FACT. */
  date: boolean;
  source: string;
  /** Act by the file's own label without relabelling (NF-CATS only). */
  direct?: Act | undefined;
}

export async function readData(dir: string, name: string): Promise<Buffer> {
  const path = join(dir, name);
  try {
    const bytes = await readFile(path);
    return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  } catch (cause) {
    throw new PragauraError('NOT_FOUND', `Cannot read ${path}.`, {
      hint: 'Run it in the repository, and name the folder of the public data sets with --data; router/acts/model/README.md lists the files.',
      cause,
    });
  }
}

/** TREC-QC writes "What 's" and "`` x ''"; people do not. */
function untokenised(text: string): string {
  return text
    .replace(/``\s*|\s*''/g, '"')
    .replace(/ ' (s|re|ll|d|m|ve)\b/g, "'$1")
    .replace(/ ('(?:s|re|ll|d|m|ve|t)\b)/g, '$1')
    .replace(/ n't\b/g, "n't")
    .replace(/ ([?.!,;:])/g, '$1')
    .trim();
}

export async function readTrec(dir: string): Promise<Example[]> {
  const text = (await readData(dir, 'trec-qc/train_5500.label')).toString('latin1');
  const examples: Example[] = [];
  for (const line of text.split('\n')) {
    const at = line.indexOf(' ');
    if (at < 0) continue;
    const question = untokenised(line.slice(at + 1));
    const labelled = trecAct(line.slice(0, at), question);
    if (labelled) examples.push({ text: question, ...labelled, source: 'trec-qc' });
  }
  return examples;
}

/** `relabel` false gives every row the act of its category. */
export async function readNfCats(
  dir: string,
  part: 'train' | 'valid',
): Promise<(Example | { text: string; direct: Act })[]> {
  const rows = parse(await readData(dir, `nf-cats/${part}.csv`), { columns: true, bom: true }) as {
    annotated_by: string;
    category: string;
    question: string;
  }[];
  return rows.flatMap((row) => {
    const direct = nfDirectAct(row.category);
    if (direct === undefined) return [];
    const text = row.question.trim();
    const labelled = nfAct(row.category, row.annotated_by, text);
    return [labelled ? { text, ...labelled, source: 'nf-cats', direct } : { text, direct }];
  });
}

export interface SquadTexts {
  questions: string[];
  passages: string[];
}

/** Questions and paragraphs of a SQuAD table, only of the articles that `keep` says. */
export async function readSquad(
  dir: string,
  name: string,
  keep: (article: string) => boolean,
): Promise<SquadTexts> {
  const rows = parse(await readData(dir, name), { columns: true, delimiter: '\t', quote: false }) as {
    query: string;
    passage: string;
    docid: string;
  }[];
  const kept = rows.filter(({ docid }) => keep(docid.split('#')[0]!));
  const passages = new Set(kept.map(({ passage }) => passage.trim()));
  return { questions: kept.map(({ query }) => query.trim()), passages: [...passages] };
}

/** Act of a SQuAD question by its words alone, FACT for who, where, which and what kind of thing. */
export function squadAct(question: string): Labelled | undefined {
  const surface = surfaceAct(question);
  if (surface) return surface;
  return /^(?:who|whose|where|which|what (?!is\b|are\b|was\b|were\b|does\b|do\b|did\b))/i.test(question)
    ? { act: 'FACT', date: false }
    : undefined;
}

/** What was written for training, in the repository only, from where the command is run. */
const WRITTEN = 'scorers/training/written/questions.ndjson';

/** A question on a manual with the act that its writer gave it. */
const Written = z.object({ query: z.string().min(1), act: z.enum(ACTS), writer: z.string().min(1) });

/** Questions that people might put to forty manuals, by twelve writers (`scorers/training/README.md`). */
export async function readWritten(): Promise<(Example & { writer: string })[]> {
  const lines = (await readData('.', WRITTEN)).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const { query, act, writer } = Written.parse(JSON.parse(line));
    return { text: query, act, date: false, source: 'manuals', writer };
  });
}

/** Small talk, answers and commands to an assistant: nothing of it can be looked up. */
const SMALL_TALK = [
  'greeting',
  'goodbye',
  'thank_you',
  'yes',
  'no',
  'cancel',
  'repeat',
  'change_volume',
  'next_song',
  'whisper_mode',
  'timer',
  'smart_home',
];

export async function readSmallTalk(dir: string): Promise<string[]> {
  const data = JSON.parse((await readData(dir, 'clinc-oos/data_full.json.gz')).toString('utf8')) as {
    train: [string, string][];
  };
  return data.train.filter(([, intent]) => SMALL_TALK.includes(intent)).map(([text]) => text);
}

export async function readYesNo(dir: string): Promise<string[]> {
  const data = JSON.parse((await readData(dir, 'strategyqa/train.json.gz')).toString('utf8')) as {
    question: string;
  }[];
  return data
    .map(({ question }) => question)
    .filter((question) => surfaceAct(question)?.act === 'VERIFICATION');
}
