/** Public sets with documents of many kinds, each of which is left out once. */
import { z } from 'zod';
import { answerRecall, grouped } from '../../calibration/index.ts';
import { readDataFile, unreadable } from '../datasets/files.ts';
import { halfOf } from '../datasets/halves.ts';
import { loadDataset } from '../datasets/index.ts';
import { loadSquadJson } from '../datasets/squad.ts';
import type { DataDocument, Dataset } from '../datasets/types.ts';
import { asQuestion, CONTRACTS, Contracts } from '../decisions/sets/contract-nli.ts';
import { readJson, readLines } from '../decisions/sets/rows.ts';
import { installedPaths } from '../documents/debian.ts';
import { described, shippedCollections, writtenQuestions } from '../documents/described.ts';
import { publicPages } from '../documents/public-sets.ts';
import type { PoolQuestion, PoolSet } from './types.ts';

interface Places {
  /** Folder of the public data sets. */
  data: string;
  /** Folder of packages. */
  cache: string;
}

const LOADERS = {
  emanual,
  conditionalqa,
  policyqa,
  'new-wiki': (places) => squad('new-wiki', places),
  'squad2-dev': (places) => squad('squad2-dev', places),
  hotpot,
  'nq-qed': nqQed,
  trecqa,
  'contract-nli': contractNli,
  'bash-doc': (places) => written('bash-doc', places),
  'gnu-standards': (places) => written('gnu-standards', places),
  'install-guide': (places) => written('install-guide', places),
  'python-library': (places) => written('python-library', places),
} satisfies Record<string, (places: Places) => Promise<PoolSet>>;
export type PoolName = keyof typeof LOADERS;
export const POOL = Object.keys(LOADERS) as PoolName[];

/** Of every set the half that is for tuning. Throws NOT_FOUND (which file or package is missing), UNREADABLE_DOCUMENT. */
export async function loadPoolSet(name: PoolName, places: Places): Promise<PoolSet> {
  return LOADERS[name](places);
}

/** Least share of an answer's words in a page that is taken to hold it. */
const HOLDS = 0.8;

async function emanual({ data }: Places): Promise<PoolSet> {
  const { about, pages, questions } = await publicPages('emanual', 'open', data);
  const texts = pages.map(({ name, html }) => ({ name, text: withoutTags(html) }));
  const homesOf = ({ golds = [] }: (typeof questions)[number]) =>
    texts.filter(({ text }) => (answerRecall(text, golds) ?? 0) >= HOLDS).map(({ name }) => name);
  return {
    name: 'emanual',
    about,
    licence: 'Apache-2.0',
    documents: pages.map(({ name, html }) => ({ id: name, title: '', text: '', html })),
    questions: questions
      .filter(({ kind }) => kind !== 'compound')
      .map((question) => ({ ...question, homes: homesOf(question) })),
    removes: true,
  };
}

async function conditionalqa({ data }: Places): Promise<PoolSet> {
  const { about, pages, questions } = await publicPages('conditionalqa-train', 'open', data);
  const wanted = new Set(questions.flatMap(({ page }) => page ?? []));
  return {
    name: 'conditionalqa',
    about,
    licence: 'BSD 2-Clause; page text Open Government Licence',
    documents: pages
      .filter(({ name }) => wanted.has(name))
      .map(({ name, html }) => ({ id: name, title: '', text: '', html })),
    questions: questions.map((question) => ({ ...question, homes: [question.page!] })),
    removes: true,
  };
}

function withoutTags(html: string): string {
  return html.replace(/<[^<>]*>/g, ' ');
}

/** "This website" is the one that the question is about, so that its policy alone is searched. */
async function policyqa({ data }: Places): Promise<PoolSet> {
  const spec = { name: 'policyqa', about: '', file: 'policyqa/dev.json.gz' };
  const { documents, queries } = halved(await loadSquadJson(data, spec, { titles: true }));
  const policyOf = ({ docId }: { docId: string }) => docId.slice(0, docId.lastIndexOf('#'));
  const ofPolicy = new Map(grouped(documents, policyOf).map((own) => [policyOf(own[0]!), own]));
  const questions = grouped(queries, ({ group, query }) => JSON.stringify([group, query])).map(
    (same): PoolQuestion => {
      const [{ id, query, group }] = same as [(typeof same)[number]];
      return {
        id,
        query,
        group,
        act: null,
        kind: 'span',
        expect: 'ANSWER',
        golds: [...new Set(same.flatMap(({ answers }) => answers))],
        filters: { docId: ofPolicy.get(group)!.map(({ docId }) => docId) },
        homes: [...new Set(same.flatMap(({ relevant }) => relevant.map(({ docId }) => docId)))],
      };
    },
  );
  return {
    name: 'policyqa',
    about: 'PolicyQA dev: privacy policies, each question about one of them; by the spans marked',
    licence: 'MIT',
    documents: documents.map(textDocument),
    questions,
    removes: true,
  };
}

const SQUAD = {
  'new-wiki': 'none stated (Wikipedia text)',
  'squad2-dev': 'CC BY-SA 4.0',
} as const;

async function squad(name: keyof typeof SQUAD, { data }: Places): Promise<PoolSet> {
  const dataset = halved(await loadDataset(name, data, { titles: true }));
  return { ...asPool(dataset), licence: SQUAD[name], removes: name === 'new-wiki' };
}

async function hotpot({ data }: Places): Promise<PoolSet> {
  const { documents, queries, ...dataset } = await loadDataset('hotpot', data);
  const own = queries.filter(({ group }) => halfOf(group) === 'tune');
  return { ...asPool({ ...dataset, documents, queries: own }), licence: 'CC BY-SA 4.0', removes: true };
}

/** The groups of the tuning half, with their documents: those whose id begins with the group. */
function halved(dataset: Dataset): Dataset {
  const inHalf = (group: string) => halfOf(group) === 'tune';
  return {
    ...dataset,
    documents: dataset.documents.filter(({ docId }) => inHalf(docId.slice(0, docId.lastIndexOf('#')))),
    queries: dataset.queries.filter(({ group }) => inHalf(group)),
  };
}

function asPool({ name, about, documents, queries }: Dataset): Omit<PoolSet, 'licence' | 'removes'> {
  return {
    name,
    about,
    documents: documents.map(textDocument),
    questions: queries.map(({ id, query, answers, answerable, relevant, group }) => ({
      id,
      query,
      group,
      act: null,
      kind: 'span',
      expect: answerable === false ? 'ABSTAIN' : 'ANSWER',
      ...(answers.length > 0 && { golds: answers }),
      homes: relevant.map(({ docId }) => docId),
    })),
  };
}

function textDocument({ docId, title, text }: DataDocument) {
  return { id: docId, title, text };
}

const QED = 'nq-qed/qed-dev.jsonl.gz';
const QedRow = z.object({
  example_id: z.number(),
  title_text: z.string(),
  question_text: z.string(),
  paragraph_text: z.string(),
  original_nq_answers: z.array(z.array(z.object({ string: z.string() }))),
});

async function nqQed({ data }: Places): Promise<PoolSet> {
  const rows = (await readLines(data, QED, QedRow)).filter(({ title_text }) => halfOf(title_text) === 'tune');
  return {
    name: 'nq-qed',
    about: 'NQ-QED dev: questions that people typed, Wikipedia paragraphs; by the spans marked',
    licence: 'CC BY-SA 3.0',
    documents: rows.map(({ title_text, paragraph_text }, place) => ({
      id: `qed-${place}`,
      title: title_text,
      text: untokenised(paragraph_text),
    })),
    questions: rows.map(({ title_text, question_text, original_nq_answers }, place) => ({
      id: `qed-${place}`,
      query: `${question_text.trim().replace(/\s*\?$/, '')}?`,
      group: title_text,
      act: null,
      kind: 'span',
      expect: 'ANSWER',
      golds: [...new Set(original_nq_answers.map((pieces) => pieces.map(({ string }) => string).join(' ')))],
      homes: [`qed-${place}`],
    })),
    removes: true,
  };
}

/** Tokens joined as a person writes them. */
function untokenised(text: string): string {
  return text
    .replace(/ (?:''|``) ?/g, ' " ')
    .replace(/^`` /, '"')
    .replace(/-LRB- /g, '(')
    .replace(/ -RRB-/g, ')')
    .replace(/ ([.,;:?!%)\]])/g, '$1')
    .replace(/([([$]) /g, '$1')
    .replace(/ (n't|'s|'re|'ve|'ll|'d|'m|')(?= |$)/g, '$1');
}

const TREC = 'trecqa/DEV.xml';

/** Every sentence is a document. Of tokens, tags and parses the first row of each is the text. */
async function trecqa({ data }: Places): Promise<PoolSet> {
  const documents = new Map<string, string>();
  const questions: PoolQuestion[] = [];
  for (const block of (await readDataFile(data, TREC)).split("<QApairs id='").slice(1)) {
    const [id] = block.split("'", 1);
    const asked = rowsOf(block, 'question')[0]?.[0];
    if (id === undefined || asked === undefined) throw unreadable(TREC, 'a pair without a question');
    const right = rowsOf(block, 'positive');
    for (const [text] of [...right, ...rowsOf(block, 'negative')]) {
      const sentence = untokenised(text!);
      if (!documents.has(sentence)) documents.set(sentence, `trec-${documents.size}`);
    }
    // The row before the last: the words that answer.
    const golds = right.map((rows) => untokenised(rows.at(-2) ?? '')).filter((gold) => gold !== '');
    questions.push({
      id: `trec-${id}`,
      query: untokenised(asked),
      // Questions of one series are about one thing.
      group: id.split('.')[0]!,
      act: null,
      kind: 'span',
      expect: right.length > 0 ? 'ANSWER' : 'ABSTAIN',
      ...(golds.length > 0 && { golds: [...new Set(golds)] }),
      homes: right.map(([text]) => documents.get(untokenised(text!))!),
    });
  }
  return {
    name: 'trecqa',
    about: 'TREC-QA dev: factoid questions, single sentences of newspapers; by the words marked',
    licence: 'none stated',
    documents: [...documents].map(([text, docId]) => ({ id: docId, title: '', text })),
    questions,
    removes: true,
  };
}

/** The rows of every element of that name, tokens parted by blanks. */
function rowsOf(block: string, element: string): string[][] {
  return block
    .split(`<${element}>\n`)
    .slice(1)
    .map((rest) => rest.split(`</${element}>`, 1)[0]!.trim().split('\n'))
    .map((rows) => rows.map((row) => row.trim().replaceAll('\t', ' ')));
}

async function contractNli({ data }: Places): Promise<PoolSet> {
  const { documents, labels } = await readJson(data, CONTRACTS, Contracts);
  const own = documents.filter(({ id }) => halfOf(`contract-${id}`) === 'tune');
  const questions = own.flatMap(({ id, text, spans, annotation_sets }) =>
    Object.entries(annotation_sets[0]!.annotations).map(
      ([label, { choice, spans: marked }]): PoolQuestion => {
        const docId = `contract-${id}`;
        const answers = choice !== 'NotMentioned';
        return {
          id: `${docId}-${label}`,
          query: asQuestion(labels[label]!.hypothesis),
          group: docId,
          act: null,
          kind: 'verdict',
          expect: answers ? 'ANSWER' : 'ABSTAIN',
          filters: { docId: [docId] },
          ...(answers && { verdicts: [choice === 'Entailment' ? 'yes' : 'no'] }),
          anchors: marked.map((place) => text.slice(...spans[place]!)),
          homes: [docId],
        };
      },
    ),
  );
  return {
    name: 'contract-nli',
    about: 'ContractNLI dev: contracts, the one asked about given; by the verdict, else by the clause',
    licence: 'CC BY 4.0',
    documents: own.map(({ id, text }) => ({ id: `contract-${id}`, title: '', text })),
    questions,
    removes: false,
  };
}

/** A collection of our own: its open half, which has questions that nothing answers. */
async function written(name: string, { cache }: Places): Promise<PoolSet> {
  const folder = shippedCollections();
  const description = await described(folder, name);
  const questions = await writtenQuestions(folder, name, 'open');
  return {
    name,
    about: `${description.title} (${description.package} ${description.version})`,
    licence: description.licence,
    documents: [],
    paths: await installedPaths(description, cache),
    questions: questions.filter(({ kind }) => kind !== 'compound').map((each) => ({ ...each, homes: [] })),
    removes: false,
  };
}
