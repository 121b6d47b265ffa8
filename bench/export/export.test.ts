import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadDataset } from '../datasets/index.ts';
import { exportSets } from './export.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-export-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function put(file: string, text: string): Promise<void> {
  const where = path.join(dir, file);
  await mkdir(path.dirname(where), { recursive: true });
  await writeFile(where, file.endsWith('.gz') ? gzipSync(text) : text);
}

async function written(file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path.join(dir, 'out', file), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

type Sets = Parameters<typeof exportSets>[0]['sets'];

const exported = (sets: Sets[number] | Sets, limit?: number) =>
  exportSets({ sets: [sets].flat(), data: dir, out: path.join(dir, 'out'), titles: false, limit });

const qa = (id: string, question: string, answers: string[], is_impossible: boolean) => ({
  id,
  question,
  answers: answers.map((text) => ({ text })),
  is_impossible,
});
const slice = (...paragraphs: [string, object[]][]) =>
  JSON.stringify({
    data: [{ title: 'Old_Town', paragraphs: paragraphs.map(([context, qas]) => ({ context, qas })) }],
  });

describe('SQuAD 2.0 dev', () => {
  beforeEach(async () => {
    const one = qa('a', 'When?', ['1666', '1666'], false);
    const other = qa('b', 'Who?', [], true);
    await put('squad/squad2-dev-cs224n.json.gz', slice(['It burned.', [one]], ['It was rebuilt.', []]));
    await put(
      'squad/squad2-dev-san-slice.json',
      slice(
        ['It was sold.', [other]],
        [
          'It burned.\n',
          [
            { ...one, id: 'official' },
            { ...other, id: 'd' },
          ],
        ],
      ),
    );
    await put('squad/squad2-dev-small.json', slice(['It was sold.', [qa('c', 'When?', ['never'], false)]]));
  });

  it('joins slices that overlap: a paragraph once, a question once for its paragraph', async () => {
    const { documents, queries } = await loadDataset('squad2-dev', dir);
    expect(documents.map(({ docId, text }) => [docId, text])).toEqual([
      ['Old_Town#0', 'It burned.'],
      ['Old_Town#1', 'It was rebuilt.'],
      ['Old_Town#2', 'It was sold.'],
    ]);
    expect(queries.map(({ id, answerable, relevant }) => [id, answerable, relevant])).toEqual([
      ['a', true, [{ docId: 'Old_Town#0', grade: 1 }]],
      ['b', false, []],
      ['d', false, []],
      ['c', true, [{ docId: 'Old_Town#2', grade: 1 }]],
    ]);
  });
});

describe('an export', () => {
  it('has the documents as they are indexed and the labels that refer to them', async () => {
    await put(
      'squad/squadshifts-new_wiki-v1.0.json.gz',
      slice(['It burned \u2028in 1666.', [qa('a', 'When?', ['1666'], false), qa('b', 'Who?', [], true)]]),
    );
    const said = await exported('new-wiki');
    expect(said).toContain('1 documents');
    expect(said).toContain('2 of 2 questions');
    expect(await written('documents.jsonl')).toEqual([
      { _id: 'Old_Town#0', title: '', text: 'It burned \u2028in 1666.' },
    ]);
    expect(await written('questions.ndjson')).toEqual([
      {
        id: 'a',
        query: 'When?',
        answers: ['1666'],
        passages: ['Old_Town#0'],
        answerable: true,
        group: 'Old_Town',
      },
      { id: 'b', query: 'Who?', answerable: false, group: 'Old_Town' },
    ]);
  });

  it('has several sets as one, ids and groups apart', async () => {
    const paragraphs = slice(['It burned.', [qa('a', 'When?', ['1666'], false)]]);
    await put('squad/squadshifts-new_wiki-v1.0.json.gz', paragraphs);
    await put('cranfield/cran.all.1400.xml.gz', '<doc><docno>1</docno><title>T</title><text>X</text></doc>');
    await put('cranfield/cran.qry.xml', '<top><title>what is x</title></top>');
    await put('cranfield/cranqrel.graded.txt', '1 1 2');
    const said = await exported(['new-wiki', 'cranfield']);
    expect(said).toContain('2 documents');
    expect(said).toContain('2 of 2 questions, 2 groups');
    const documents = await written('documents.jsonl');
    expect(documents.map(({ _id }) => _id)).toEqual(['new-wiki/Old_Town#0', 'cranfield/1']);
    const [first, second] = await written('questions.ndjson');
    expect(first).toMatchObject({
      id: 'new-wiki/a',
      passages: ['new-wiki/Old_Town#0'],
      group: 'new-wiki/Old_Town',
    });
    expect(second!.passages).toEqual(['cranfield/1']);
    expect(second!.group).toMatch(/^cranfield\//);
  });

  it('takes a sample of the questions, the same every time, and grades where they differ', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => `<top><title>question ${i}</title></top>`).join('');
    await put('cranfield/cran.all.1400.xml.gz', '<doc><docno>1</docno><title></title><text></text></doc>');
    await put('cranfield/cran.qry.xml', rows);
    await put(
      'cranfield/cranqrel.graded.txt',
      Array.from({ length: 40 }, (_, i) => `${i + 1} 1 2`).join('\n'),
    );
    expect(await exported('cranfield', 7)).toContain('1 of them without text');
    const first = await written('questions.ndjson');
    expect(first).toHaveLength(7);
    expect(first[0]).toMatchObject({ passages: ['1'], grades: [3] });
    await exported('cranfield', 7);
    expect(await written('questions.ndjson')).toEqual(first);
  });
});
