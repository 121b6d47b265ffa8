import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseTsv } from './files.ts';
import { loadHotpotReferences } from './hotpot.ts';
import { loadDataset, parseDatasetNames } from './index.ts';
import { knownItemQueries, loadGlosses } from './wordnet.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-data-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function put(file: string, text: string): Promise<void> {
  const where = path.join(dir, file);
  await mkdir(path.dirname(where), { recursive: true });
  await writeFile(where, file.endsWith('.gz') ? gzipSync(text) : text);
}

const NEW_WIKI = 'squad/squadshifts-new_wiki-v1.0.json.gz';
const ARTICLES_A = 'squad/squad11-dev-articles-a.tsv.gz';
const HEADER = 'label\tquery\tpassage\tqid\tdocid\tanswer_sentence\tanswers\n';

describe('files', () => {
  it('names the file that is missing', async () => {
    await expect(loadDataset('new-wiki', dir)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining(NEW_WIKI),
      hint: expect.stringContaining('--data'),
    });
  });

  it('names the file that is damaged', async () => {
    await mkdir(path.join(dir, 'squad'));
    await writeFile(path.join(dir, NEW_WIKI), 'no gzip');
    await expect(loadDataset('new-wiki', dir)).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
    await put(NEW_WIKI, '{"data": 7}');
    await expect(loadDataset('new-wiki', dir)).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
    await put(NEW_WIKI, '{"data": [');
    await expect(loadDataset('new-wiki', dir)).rejects.toMatchObject({
      code: 'UNREADABLE_DOCUMENT',
      message: expect.stringContaining(NEW_WIKI),
    });
  });
});

describe('SQuAD sets', () => {
  const json = {
    data: [
      {
        title: 'Old_Town',
        paragraphs: [
          {
            context: 'It burned in 1666.\n',
            qas: [
              {
                id: 'q1',
                question: ' When? ',
                answers: [{ text: '1666' }, { text: 'in 1666' }, { text: '1666' }],
              },
            ],
          },
          { context: 'Then it was built again.', qas: [] },
        ],
      },
    ],
  };

  it('reads SQuAD JSON, a paragraph a document', async () => {
    await put(NEW_WIKI, JSON.stringify(json));
    const set = await loadDataset('new-wiki', dir);
    expect(set.documents.map(({ docId, title, text }) => [docId, title, text])).toEqual([
      ['Old_Town#0', '', 'It burned in 1666.'],
      ['Old_Town#1', '', 'Then it was built again.'],
    ]);
    expect(set.queries).toEqual([
      {
        id: 'q1',
        query: 'When?',
        answers: ['1666', 'in 1666'],
        relevant: [{ docId: 'Old_Town#0', grade: 1 }],
        group: 'Old_Town',
      },
    ]);
  });

  it('gives titles only when asked', async () => {
    await put(NEW_WIKI, JSON.stringify(json));
    expect((await loadDataset('new-wiki', dir, { titles: true })).documents[0]!.title).toBe('Old Town');
  });

  it('reads tab-separated rows without taking quotes for quoting', async () => {
    const row = (query: string, id: string, answers: string) =>
      `1\t${query}\t"Quoted" he said, "twice.\t${id}\tA_b#3\tsentence\t${answers}\n`;
    await put(ARTICLES_A, `${HEADER}${row('Who?', 'a', 'he | "he"')}${row('What?', 'b', 'x')}`);
    const set = await loadDataset('articles-a', dir);
    expect(set.documents).toHaveLength(1);
    expect(set.documents[0]).toMatchObject({ docId: 'A_b#3', text: '"Quoted" he said, "twice.' });
    expect(set.queries.map(({ id, answers, group }) => [id, answers, group])).toEqual([
      ['a', ['he', '"he"'], 'A_b'],
      ['b', ['x'], 'A_b'],
    ]);
  });

  it('refuses rows of another shape', async () => {
    await put(ARTICLES_A, `${HEADER}1\tonly\tthree\n`);
    await expect(loadDataset('articles-a', dir)).rejects.toMatchObject({
      message: expect.stringContaining('line 2'),
    });
    await put(ARTICLES_A, 'query\tpassage\n');
    await expect(loadDataset('articles-a', dir)).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
  });
});

describe('Cranfield', () => {
  const doc = (n: number, title: string, text: string) =>
    `<doc>\n<docno>${n}</docno>\n<title>${title}</title>\n<text>${text}</text>\n</doc>\n`;
  const top = (n: number, text: string) => `<top>\n<num> ${n}</num>\n<title>\n${text}\n</title>\n</top>\n`;

  beforeEach(async () => {
    await put('cranfield/cran.all.1400.xml.gz', doc(1, 'a\nwing', 'lift < drag') + doc(2, '', ''));
    await put('cranfield/cran.qry.xml', `<xml>${top(1, 'first')}${top(9, 'second\nline')}</xml>`);
  });

  it('joins judgments on the position of the query and turns grades into gains', async () => {
    await put('cranfield/cranqrel.graded.txt', '2 1 1 \n2 2 4\n1 1 -1\n');
    const { documents, queries } = await loadDataset('cranfield', dir);
    expect(documents.map(({ docId, title, text }) => [docId, title, text])).toEqual([
      ['1', 'a wing', 'lift < drag'],
      ['2', '', ''],
    ]);
    expect(queries.map(({ id, query, relevant }) => [id, query, relevant])).toEqual([
      ['1', 'first', []],
      [
        '2',
        'second line',
        [
          { docId: '1', grade: 4 },
          { docId: '2', grade: 1 },
        ],
      ],
    ]);
  });

  it.each(['9 1 1', '1 7 1', '1 1 5', '1 1'])('refuses the judgment "%s"', async (line) => {
    await put('cranfield/cranqrel.graded.txt', line);
    await expect(loadDataset('cranfield', dir)).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
  });
});

describe('HotpotQA', () => {
  const query = (gold: string[]) =>
    JSON.stringify({
      id: 'h1',
      question: 'Who?',
      answer: 'yes',
      type: 'bridge',
      level: 'hard',
      gold_titles: gold,
    });

  it('takes titles for document ids', async () => {
    await put(
      'hotpotqa/pooled-first-500-corpus.jsonl.gz',
      '{"title":"A, b","text":"x"}\n\n{"title":"C","text":"y"}\n',
    );
    await put('hotpotqa/pooled-first-500-queries.jsonl', query(['A, b', 'C']));
    const { documents, queries } = await loadDataset('hotpot', dir);
    expect(documents.map((document) => document.docId)).toEqual(['A, b', 'C']);
    expect(queries[0]!.relevant.map(({ docId }) => docId)).toEqual(['A, b', 'C']);
    await put('hotpotqa/pooled-first-500-queries.jsonl', query(['Z']));
    await expect(loadDataset('hotpot', dir)).rejects.toMatchObject({
      message: expect.stringContaining('"Z"'),
    });
  });

  it('reads training questions with the documents of their facts', async () => {
    const facts = [
      ['A, b', 0],
      ['C', 1],
      ['A, b', 2],
    ];
    const row = { question: 'Who?', answer: 'yes', supporting_facts: facts, level: 'hard' };
    const corpus = { 'A, b': ['One. ', 'Two.'], C: ['Three.'] };
    await put('hotpotqa/hipporag-train-100-corpus.json', JSON.stringify(corpus));
    await put('hotpotqa/hipporag-train-100.json', JSON.stringify([row]));
    const { documents, queries } = await loadDataset('hotpot-train', dir);
    expect(documents.map(({ docId, text }) => [docId, text])).toEqual([
      ['A, b', 'One. Two.'],
      ['C', 'Three.'],
    ]);
    expect(queries[0]).toMatchObject({ id: 'hotpot-train-1', answers: ['yes'] });
    expect(queries[0]!.relevant.map(({ docId }) => docId)).toEqual(['A, b', 'C']);
    await put('hotpotqa/hipporag-train-100.json', JSON.stringify([{ ...row, supporting_facts: [['Z', 0]] }]));
    await expect(loadDataset('hotpot-train', dir)).rejects.toMatchObject({
      message: expect.stringContaining('"Z"'),
    });
  });

  it('reads the pooled rows of the reference runs', async () => {
    const csv = 'method,setting,example_id,retrieved_titles\nm,pooled,h1,"A, b | C"\nm,per_question,h1,C\n';
    for (const run of ['bm25', 'dense', 'rerank'])
      await put(`hotpotqa/pooled-first-500-${run}_results.csv`, csv);
    const runs = await loadHotpotReferences(dir);
    expect(runs).toHaveLength(3);
    expect(runs[0]!.rankings).toEqual(new Map([['h1', ['A, b', 'C']]]));
  });
});

describe('WordNet', () => {
  it('reads synsets past the licence', async () => {
    const gloss = 'a gloss; "with | an example"';
    for (const file of ['data.noun', 'data.verb', 'data.adj', 'data.adv']) {
      await put(file, `  1 licence | text\n00001740 03 n 02 physical_entity 0 thing 1 000 | ${gloss}  \n`);
    }
    const documents = await loadGlosses(dir);
    expect(documents.map(({ docId }) => docId)).toEqual(['n00001740', 'v00001740', 'a00001740', 'r00001740']);
    expect(documents[0]).toMatchObject({ title: 'physical entity, thing', text: gloss });
  });

  it('finds the glosses of this installation and asks the same questions every time', async () => {
    const documents = await loadGlosses();
    expect(documents.length).toBeGreaterThan(117_000);
    expect(new Set(documents.map(({ docId }) => docId)).size).toBe(documents.length);
    const queries = knownItemQueries(documents, 50, 5);
    expect(queries).toEqual(knownItemQueries(documents, 50, 5));
    const texts = new Map(documents.map(({ docId, text }) => [docId, text.toLowerCase()]));
    for (const { query, relevant } of queries) {
      const words = query.split(' ');
      expect(words).toHaveLength(5);
      for (const word of words) expect(texts.get(relevant[0]!.docId)).toContain(word);
    }
  });
});

describe('tab-separated values', () => {
  it('are rows by column; quotes are letters', () => {
    expect(parseTsv('a\tb\r\n"x\t1 "y"\r\n\r\n', 'f.tsv', ['a', 'b'])).toEqual([{ a: '"x', b: '1 "y"' }]);
  });

  it.each([
    ['a row that is too short', 'a\tb\nx\n', /f\.tsv .* line 2/],
    ['a column that is missing', 'a\tc\nx\ty\n', /f\.tsv .* no column b/],
    ['an empty file', '', /f\.tsv .* no column a and no b/],
  ])('%s is said, with the file', (_, text, said) => {
    expect(() => parseTsv(text, 'f.tsv', ['a', 'b'])).toThrow(said);
  });
});

describe('parseDatasetNames', () => {
  it('takes a list and refuses what is no set', () => {
    expect(parseDatasetNames('new-wiki, hotpot')).toEqual(['new-wiki', 'hotpot']);
    expect(() => parseDatasetNames('constructor')).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
