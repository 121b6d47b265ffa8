import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { halfOf } from '../datasets/halves.ts';
import { loadPoolSet, POOL } from './sets.ts';

let data: string;
beforeAll(async () => {
  data = await mkdtemp(path.join(tmpdir(), 'pragaura-pool-'));
});
afterAll(() => rm(data, { recursive: true, force: true }));

async function put(file: string, text: string) {
  await mkdir(path.dirname(path.join(data, file)), { recursive: true });
  await writeFile(path.join(data, file), file.endsWith('.gz') ? gzipSync(text) : text);
}
const load = (name: (typeof POOL)[number]) => loadPoolSet(name, { data, cache: data });
/** Names of which the first lies in the half for tuning and the second in the other. */
function halves(prefix: string): [string, string] {
  const names = Array.from({ length: 50 }, (_, i) => `${prefix}${i}`);
  return [names.find((name) => halfOf(name) === 'tune')!, names.find((name) => halfOf(name) === 'report')!];
}

it('holds sets of at least eight kinds', () => {
  expect(POOL.length).toBeGreaterThanOrEqual(8);
});

it('reads single sentences with the words that answer', async () => {
  await put(
    'trecqa/DEV.xml',
    "<QApairs id='2.1'>\n<question>\nWho\tbuilt\tit\t?\nWP\tV\tP\t.\n</question>\n<positive>\nThe\tcrown\t's\tbridge\t.\nD\tN\tP\tN\t.\ncrown\t\n1\t\n</positive>\n<negative>\nIt\trained\t.\nP\tV\t.\n</negative>\n</QApairs>\n" +
      "<QApairs id='2.2'>\n<question>\nWhen\t?\nW\t.\n</question>\n<negative>\nIt\trained\t.\nP\tV\t.\n</negative>\n</QApairs>\n",
  );
  const { documents, questions } = await load('trecqa');
  expect(documents.map(({ text }) => text)).toEqual(["The crown's bridge.", 'It rained.']);
  expect(questions).toMatchObject([
    { query: 'Who built it?', group: '2', expect: 'ANSWER', golds: ['crown'], homes: ['trec-0'] },
    { query: 'When?', group: '2', expect: 'ABSTAIN', homes: [] },
  ]);
});

it('asks of each contract what the hypotheses say, in the half for tuning', async () => {
  const ids = Array.from({ length: 50 }, (_, id) => id);
  const [tune, report] = [
    ids.find((id) => halfOf(`contract-${id}`) === 'tune')!,
    ids.find((id) => halfOf(`contract-${id}`) === 'report')!,
  ];
  const contract = (id: number) => ({
    id,
    text: 'You shall not copy it. It ends.',
    spans: [
      [0, 22],
      [23, 31],
    ],
    annotation_sets: [
      {
        annotations: {
          a: { choice: 'Contradiction', spans: [0] },
          b: { choice: 'NotMentioned', spans: [] },
        },
      },
    ],
  });
  const labels = { a: { hypothesis: 'You may copy it.' }, b: { hypothesis: 'You may sell it.' } };
  await put(
    'contract-nli/dev.json.gz',
    JSON.stringify({ documents: [contract(tune), contract(report)], labels }),
  );
  const { documents, questions } = await load('contract-nli');
  expect(documents.map(({ id }) => id)).toEqual([`contract-${tune}`]);
  expect(questions).toMatchObject([
    { query: 'May You copy it?', expect: 'ANSWER', verdicts: ['no'], anchors: ['You shall not copy it.'] },
    { query: 'May You sell it?', expect: 'ABSTAIN', filters: { docId: [`contract-${tune}`] } },
  ]);
});

it('asks a policy each question once, with every place that answers it', async () => {
  const [tune, report] = halves('site');
  const policy = (title: string) => ({
    title,
    paragraphs: ['We keep logs.', 'We keep mail.'].map((context) => ({
      context,
      qas: [
        { id: `${title}-${context}`, question: 'What is kept?', answers: [{ text: context.slice(8, -1) }] },
      ],
    })),
  });
  await put('policyqa/dev.json.gz', JSON.stringify({ data: [policy(tune), policy(report)] }));
  const { documents, questions } = await load('policyqa');
  expect(documents.map(({ id }) => id)).toEqual([`${tune}#0`, `${tune}#1`]);
  expect(questions).toMatchObject([
    {
      golds: ['logs', 'mail'],
      homes: [`${tune}#0`, `${tune}#1`],
      filters: { docId: [`${tune}#0`, `${tune}#1`] },
    },
  ]);
});

it('writes tokens as people do', async () => {
  const [tune, report] = halves('Page');
  const row = (title_text: string) => ({
    example_id: 1,
    title_text,
    question_text: 'who won ?',
    paragraph_text: "He ( Bob ) won , did n't he ? It was Ann 's bike .",
    original_nq_answers: [[{ string: 'Bob' }], [{ string: 'He' }, { string: 'Bob' }]],
  });
  await put(
    'nq-qed/qed-dev.jsonl.gz',
    [row(tune), row(report)].map((each) => JSON.stringify(each)).join('\n'),
  );
  const { documents, questions } = await load('nq-qed');
  expect(documents).toEqual([
    { id: 'qed-0', title: tune, text: "He (Bob) won, didn't he? It was Ann's bike." },
  ]);
  expect(questions).toMatchObject([{ query: 'who won?', golds: ['Bob', 'He Bob'], homes: ['qed-0'] }]);
});
