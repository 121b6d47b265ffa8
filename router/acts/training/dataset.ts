/** Puts the training set together: what is learned, what is tested, and what may not be looked at. */
import { createHash } from 'node:crypto';
import { nearDuplicateGroups, normalForm } from './groups.ts';
import { handWritten } from './phrases.ts';
import {
  type Example,
  readData,
  readNfCats,
  readSmallTalk,
  readSquad,
  readTrec,
  readWritten,
  readYesNo,
  type SquadTexts,
  squadAct,
} from './sources.ts';

export interface TrainingExample extends Example {
  /** Near-duplicates share one. */
  group: number;
  weight: number;
  /** Of TREC-QC or NF-CATS, unchanged: what cross-validation tests on. */
  core: boolean;
  /** Who wrote a question on a manual, as it was written: each is left out once. */
  writer?: string | undefined;
}

export interface Dataset {
  examples: TrainingExample[];
  /** SQuAD training questions of articles that nothing was learned from, as written and bare. */
  squadTune: string[];
  squadReport: string[];
  /** Rows of NF-CATS train left out because an evaluation set or NF-CATS valid holds them. */
  barred: number;
}

const SQUAD = 'squad/squad11-train-44-articles.tsv.gz';
/** How much an example counts that nobody labelled by hand, or that was written here in bulk. */
const EXTRA_WEIGHT = 0.5;

/** `dates`: the act of questions for a point in time. */
export async function readDataset(dir: string, dates: 'QUANTITY' | 'FACT'): Promise<Dataset> {
  const bar = await readBar(dir);
  const [trec, nfRows, talk, yesNo, written] = await Promise.all([
    readTrec(dir),
    readNfCats(dir, 'train'),
    readSmallTalk(dir),
    readYesNo(dir),
    readWritten(),
  ]);
  const nf = nfRows.filter((row): row is Example => 'act' in row);
  const kept = nf.filter((example) => !bar(example.text));
  const parts = await Promise.all(
    [0, 1, 2].map((part) => readSquad(dir, SQUAD, (article) => hash(article) % 3 === part)),
  );
  const extra = [
    ...handWritten().map((phrase) => ({ ...phrase, source: 'hand-written' })),
    ...talk.map((text) => ({ text, act: 'NOT_A_QUESTION' as const, source: 'clinc-oos' })),
    ...sample(yesNo, 700).map((text) => ({ text, act: 'VERIFICATION' as const, source: 'strategyqa' })),
    ...fromSquad(parts[0]!),
  ].map((example) => ({ date: false, ...example }));

  const core = unique([...trec, ...kept]);
  const originals = [
    ...core.map((example) => ({ ...example, weight: 1, core: true })),
    ...written.map((example) => ({ ...example, weight: 1, core: false })),
    ...extra.map((example) => ({ ...example, weight: EXTRA_WEIGHT, core: false })),
  ];
  const groups = nearDuplicateGroups(originals.map(({ text }) => text));
  const grouped = originals.map((example, i) => ({
    ...example,
    act: example.date ? dates : example.act,
    group: groups[i]!,
  }));
  return {
    examples: [...grouped, ...grouped.flatMap(carelessly), ...grouped.flatMap(politely)],
    squadTune: sample(parts[1]!.questions, 3000).flatMap((text) => [text, bare(text)]),
    squadReport: parts[2]!.questions,
    barred: nf.length - kept.length,
  };
}

/** Questions whose act the words make certain, and sentences of the paragraphs as statements. */
function fromSquad({ questions, passages }: SquadTexts): (Omit<Example, 'date'> & { date?: boolean })[] {
  const asked = sample(questions, 2500).flatMap((text) => {
    const labelled = squadAct(text);
    return labelled ? [{ text, ...labelled, source: 'squad' }] : [];
  });
  const sentences = passages
    .flatMap((passage) => passage.split(/(?<=[a-z)][.!]) (?=[A-Z])/))
    .filter((sentence) => sentence.length > 25 && sentence.length < 300 && /^[A-Z].*\.$/.test(sentence));
  return [
    ...asked,
    ...sample(sentences, 900).map((text) => ({ text, act: 'NOT_A_QUESTION' as const, source: 'squad' })),
  ];
}

/**
 * The same text as people type it into a search field: lower case, no question mark, sometimes without "what is
 * the". The copy stays in the group of its original.
 */
function carelessly(example: TrainingExample): TrainingExample[] {
  const kind = hash(example.text) % 10;
  if (example.source === 'hand-written' || kind > 4) return [];
  let text = example.text.replace(/[?.!\s]+$/, '');
  if (kind < 4) text = text.toLowerCase();
  const keywords = text.replace(
    /^(?:what|who|where)(?:'s| is| was| are| were) (?=(?:the|\w+'s) )(?:the )?/i,
    '',
  );
  if (kind < 3 && (example.act === 'FACT' || example.act === 'QUANTITY')) text = keywords;
  if (text === example.text) return [];
  // A short statement without its full stop could as well be a search: not taught as a refusal.
  if (example.act === 'NOT_A_QUESTION' && example.source !== 'clinc-oos' && text.split(' ').length < 10)
    return [];
  return [{ ...example, text, weight: example.weight * EXTRA_WEIGHT, core: false, writer: undefined }];
}

const POLITE = [
  'please tell me',
  'I need to know',
  "I'd like to know",
  'I want to know',
  'could you tell me',
  'do you know',
  'can you tell me',
  'I was wondering',
  'tell me',
  'does anybody know',
  'please find out',
  'I have a question:',
];

/** The same question in the clothes of a request. */
function politely(example: TrainingExample): TrainingExample[] {
  const kind = hash(example.text) % 97;
  if (!example.core || example.act === 'NOT_A_QUESTION' || kind >= POLITE.length) return [];
  if (!/^(?:who|what|where|when|which|how|why)\b/i.test(example.text)) return [];
  const text = `${POLITE[kind]} ${example.text[0]!.toLowerCase()}${example.text.slice(1)}`;
  const ended = hash(text) % 2 === 0 ? text.replace(/\?\s*$/, '.') : text.replace(/\?\s*$/, '');
  return [{ ...example, text: ended, weight: EXTRA_WEIGHT, core: false }];
}

/** True for texts that an evaluation set holds. */
async function readBar(dir: string): Promise<(text: string) => boolean> {
  const everything = () => true;
  const [dev, wiki, valid] = await Promise.all([
    readSquad(dir, 'squad/squad11-dev-articles-a.tsv.gz', everything),
    readData(dir, 'squad/squadshifts-new_wiki-v1.0.json.gz'),
    readNfCats(dir, 'valid'),
  ]);
  const { data } = JSON.parse(wiki.toString('utf8')) as {
    data: { paragraphs: { context: string; qas: { question: string }[] }[] }[];
  };
  const paragraphs = data.flatMap((article) => article.paragraphs);
  const questions = new Set(
    [
      ...dev.questions,
      ...paragraphs.flatMap(({ qas }) => qas.map(({ question }) => question)),
      ...valid.map(({ text }) => text),
    ].map(normalForm),
  );
  const passages = [...dev.passages, ...paragraphs.map(({ context }) => context)].map(normalForm).join('\n');
  return (text) => {
    const form = normalForm(text);
    return questions.has(form) || (form.length > 30 && passages.includes(form));
  };
}

function unique(examples: readonly Example[]): Example[] {
  return [
    ...new Map(examples.map((example) => [normalForm(example.text) || example.text, example])).values(),
  ];
}

/** Lower case, without the question mark. */
export function bare(text: string): string {
  return text.toLowerCase().replace(/[?\s]+$/, '');
}

/** At most `count` of the texts, chosen by their hash: the same on every machine. */
function sample(texts: readonly string[], count: number): string[] {
  return [...texts].sort((a, b) => hash(a) - hash(b)).slice(0, count);
}

/** 48 bits of the text's SHA-256. */
function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6);
}
