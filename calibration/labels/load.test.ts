import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkGrouped, countLabels, documentOf, exampleOf, rightActionOf } from './examples.ts';
import { loadLabelled } from './load.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pragaura-labels-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function put(name: string, text: string | Uint8Array): Promise<string> {
  const file = join(dir, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, name.endsWith('.gz') ? gzipSync(text) : text);
  return file;
}

const lines = (...records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

describe('NDJSON', () => {
  it('settles group and answerability, and leaves unsaid what is not said', async () => {
    const file = await put(
      'dev.ndjson',
      lines(
        { id: 'a', query: 'Who?', answers: ['he'], passages: ['guide.md#3'] },
        { id: 7, query: 'When?', answerable: false, group: 'contract' },
        { query: 'What?' },
        { id: 'd', query: 'Where?', action: 'ASK' },
      ),
    );
    const examples = await loadLabelled(file);
    expect(examples).toEqual([
      {
        id: 'a',
        query: 'Who?',
        answers: ['he'],
        passages: ['guide.md#3'],
        answerable: true,
        group: 'guide.md',
      },
      { id: '7', query: 'When?', answerable: false, group: 'contract' },
      { id: 'line-3', query: 'What?', group: 'What?', ungrouped: true },
      { id: 'd', query: 'Where?', action: 'ASK', group: 'Where?', ungrouped: true },
    ]);
    expect(countLabels(examples)).toEqual({
      examples: 4,
      answers: 1,
      passagesOnly: 0,
      unanswerable: 2,
      unlabelled: 1,
    });
  });

  it('tells of each line where it stands and which action is right, or that it does not say', async () => {
    const file = await put(
      'dev.ndjson',
      `\n${lines(
        { query: 'Who?', answers: ['he'] },
        { query: 'Where?', passages: ['guide.md#3'] },
        { query: 'When?', answerable: true },
        { query: 'Why?', answerable: false },
        { query: 'How?', answers: ['so'], action: 'ASK' },
        { query: 'What?', answerable: true, action: 'ABSTAIN' },
        { query: 'Which?', group: 'guide' },
      )}`,
    );
    const told: [string, string | null][] = [];
    await loadLabelled(file, (example, where) => told.push([where, rightActionOf(example)]));
    expect(told).toEqual(
      ['ANSWER', 'ANSWER', 'ANSWER', 'ABSTAIN', 'ASK', 'ABSTAIN', null].map((action, i) => [
        `${file}, line ${i + 2}`,
        action,
      ]),
    );
    expect(rightActionOf(exampleOf({ id: 'x', query: 'x', answers: [], passages: [] }))).toBeNull();
  });

  it('is refused where it says that something is to be answered and that nothing answers it', async () => {
    const file = await put('dev.ndjson', lines({ query: 'Who?', answerable: false, action: 'ANSWER' }));
    await expect(loadLabelled(file)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: `${file}, line 1: "action" is ANSWER, though "answerable" is false`,
    });
  });

  it('is refused by what counts documents, where lines name none', async () => {
    const file = await put(
      'mixed.ndjson',
      lines(
        { id: 'a', query: 'Who?', answers: ['he'], passages: ['guide.md#3'] },
        { id: 'u1', query: 'When?', answerable: false },
        { id: 'u2', query: 'Why?', answerable: false, group: 'guide.md' },
        { id: 'u3', query: 'Where?', answers: ['here'], passages: [] },
        // A group that reads like the query is a group all the same.
        { id: 'u4', query: 'What?', group: 'What?' },
      ),
    );
    const examples = await loadLabelled(file);
    expect(() => checkGrouped(examples, file)).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.stringMatching(
          /^2 of 5 labelled queries of .*mixed\.ndjson name no document \(first "u1"\)/,
        ),
        hint: expect.stringMatching(/"group" or "passages".*--exchangeable questions/),
      }),
    );
    checkGrouped(
      examples.filter(({ ungrouped }) => ungrouped !== true),
      file,
    );
  });

  it('reads gzip, a byte-order mark and blank lines', async () => {
    const file = await put('dev.jsonl.gz', `\ufeff{"id":"a","query":"x"}\r\n\n{"id":"b","query":"y"}`);
    expect((await loadLabelled(file)).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it.each([
    ['no JSON', '{"id": "b", "query"', 'is not JSON'],
    ['an unknown field', '{"id":"b","query":"y","answer":"z"}', 'answer'],
    ['a field of another type', '{"id":"b","query":7}', 'query'],
    ['an array', '[1]', 'no JSON object'],
    ['an id that was there', '{"id":"a","query":"y"}', 'line 1 already'],
    ['grades without passages', '{"id":"b","query":"y","grades":[1]}', '1 grades for 0 passages'],
    [
      'answers of the unanswerable',
      '{"id":"b","query":"y","answers":["z"],"answerable":false}',
      'answerable',
    ],
    [
      'patterns of the unanswerable',
      '{"id":"b","query":"y","patterns":["z"],"answerable":false}',
      'answerable',
    ],
    [
      'what is no expression',
      '{"id":"b","query":"y","patterns":["ok","z("]}',
      '"z(" is no regular expression',
    ],
    ['no expression at all', '{"id":"b","query":"y","patterns":[]}', 'patterns'],
    ['a step without words', '{"id":"b","query":"y","steps":["the ..."]}', 'a step without words'],
    ['another verdict', '{"id":"b","query":"y","verdict":"maybe"}', 'verdict'],
  ])('refuses %s, naming file and line', async (_, line, problem) => {
    const file = await put('dev.ndjson', `{"id":"a","query":"x"}\n\n${line}\n`);
    await expect(loadLabelled(file)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/dev\.ndjson, line 3: /),
      hint: expect.any(String),
    });
    await expect(loadLabelled(file)).rejects.toMatchObject({ message: expect.stringContaining(problem) });
  });

  it('refuses bytes that are no UTF-8', async () => {
    const file = await put('dev.ndjson', Buffer.from('7b226964223a22ff227d0a', 'hex'));
    await expect(loadLabelled(file)).rejects.toMatchObject({
      message: expect.stringContaining('line 1: The line is not valid UTF-8'),
    });
  });

  it('treats prototype words as words', async () => {
    const file = await put(
      'dev.ndjson',
      `{"id":"__proto__","query":"x","group":"constructor"}\n{"id":"constructor","query":"y"}\n`,
    );
    expect((await loadLabelled(file)).map(({ id, group }) => [id, group])).toEqual([
      ['__proto__', 'constructor'],
      ['constructor', 'y'],
    ]);
  });
});

describe('SQuAD JSON', () => {
  const squad = (qas: object[], more: object = {}) =>
    JSON.stringify({
      version: 'data: [{"title"',
      data: [
        {
          title: 'Old_Town',
          paragraphs: [
            { context: 'It burned "[{".', qas: [] },
            { context: 'Ü', qas },
          ],
        },
      ],
      ...more,
    });
  const question = {
    id: 'q1',
    question: ' When? ',
    answers: [{ text: 'x', answer_start: 0 }, { text: 'x' }],
  };

  it('reads version 1.1: passages are the ids that indexing gives', async () => {
    const file = await put('dev.json', squad([question]));
    expect(await loadLabelled(file)).toEqual([
      {
        id: 'q1',
        query: 'When?',
        answers: ['x'],
        passages: ['Old_Town#1'],
        answerable: true,
        group: 'Old_Town',
      },
    ]);
  });

  it('reads version 2.0: what is impossible has no answer, whatever stands there', async () => {
    const file = await put(
      'dev.json.gz',
      squad([
        { ...question, is_impossible: false },
        { ...question, id: 'q2', is_impossible: true, plausible_answers: [{ text: 'y' }] },
      ]),
    );
    const [can, cannot] = await loadLabelled(file);
    expect(can).toMatchObject({ answerable: true, answers: ['x'] });
    expect(cannot).toEqual({ id: 'q2', query: 'When?', answerable: false, group: 'Old_Town' });
  });

  it('reads articles across the pieces in which a file comes', async () => {
    const articles = Array.from({ length: 300 }, (_, i) => ({
      title: `A ${i} é\\"`,
      paragraphs: [{ context: 'ü'.repeat(5_000), qas: [{ ...question, id: `q${i}` }] }],
    }));
    const text = JSON.stringify({ data: articles, version: '1' });
    expect(text.length).toBeGreaterThan(1_500_000);
    const examples = await loadLabelled(await put('dev.json', `\ufeff${text}\n`));
    expect(examples.map(({ id }) => id)).toEqual(articles.map((_, i) => `q${i}`));
    expect(examples[299]!.group).toBe('A 299 é\\"');
  });

  it.each([
    ['an NDJSON file', '{"id":"a","query":"x"}\n', 'has no array "data"'],
    ['an array', '[]', 'is no JSON object'],
    ['a file that is cut off', squad([question]).slice(0, -5), 'is cut off'],
    ['a file that is cut off in a string', '{"data": [{"title": "x', 'is cut off'],
    ['an array of something else', '{"data": [1, 2]}', 'something else than objects'],
    ['articles of another shape', '{"data": [{"paragraphs": [{"qas": [{"id": "a"}]}]}]}', 'article 1'],
    ['broken JSON in an article', '{"data": [{"title": nonsense}]}', 'article 1 is no JSON'],
  ])('refuses %s', async (_, text, problem) => {
    await expect(loadLabelled(await put('dev.json', text))).rejects.toMatchObject({
      code: 'UNREADABLE_DOCUMENT',
      message: expect.stringContaining(problem),
    });
  });

  it('refuses an id that occurs twice', async () => {
    await expect(loadLabelled(await put('dev.json', squad([question, question])))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('"q1"'),
    });
  });
});

describe('BEIR folders', () => {
  const HEADER = 'query-id\tcorpus-id\tscore\n';
  const queries = lines(
    { _id: 'q1', text: ' first ' },
    { _id: 'q2', text: 'second' },
    { _id: 'q3', text: 'third' },
  );

  it('takes the queries that are judged, grades above 0 only', async () => {
    await put('queries.jsonl', queries);
    await put('qrels/test.tsv', `${HEADER}q1\td1\t1\nq1\td2\t2\nq1\td3\t0\nq3\td1\t0\n`);
    expect(await loadLabelled(dir)).toEqual([
      { id: 'q1', query: 'first', passages: ['d1', 'd2'], grades: [1, 2], answerable: true, group: 'd1' },
      { id: 'q3', query: 'third', group: 'third', ungrouped: true },
    ]);
  });

  it('asks which judgments are meant when there are several, and takes the named one', async () => {
    await put('queries.jsonl.gz', queries);
    await put('qrels/test.tsv', `${HEADER}q1\td1\t1\n`);
    const dev = await put('qrels/dev.tsv', `${HEADER}q2\td1\t1\n`);
    await expect(loadLabelled(dir)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('dev.tsv, test.tsv'),
      hint: expect.stringContaining(dev),
    });
    expect((await loadLabelled(dev)).map(({ id }) => id)).toEqual(['q2']);
  });

  it.each([
    ['q1\td1\n', 'line 2'],
    ['q1\td1\tmany\n', 'line 2'],
    ['q1\td1\t1\nq1\td1\t0\n', 'line 3'],
    ['q9\td1\t1\n', '"q9"'],
    ['', 'holds no judgment'],
  ])('refuses the judgments %j', async (rows, problem) => {
    await put('queries.jsonl', queries);
    await put('qrels/test.tsv', `${HEADER}${rows}`);
    await expect(loadLabelled(dir)).rejects.toMatchObject({ message: expect.stringContaining(problem) });
  });

  it('says what is missing', async () => {
    await expect(loadLabelled(dir)).rejects.toMatchObject({ message: expect.stringContaining('"qrels"') });
    await put('qrels/readme.md', '');
    await expect(loadLabelled(dir)).rejects.toMatchObject({ message: expect.stringContaining('.tsv') });
    await put('qrels/test.tsv', `${HEADER}q1\td1\t1\n`);
    await expect(loadLabelled(dir)).rejects.toMatchObject({
      message: expect.stringContaining('queries.jsonl'),
    });
    await put('queries.jsonl', '{"text":"x"}\n');
    await expect(loadLabelled(dir)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('other paths', () => {
  it('are refused with a reason', async () => {
    await expect(loadLabelled(join(dir, 'none.ndjson'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('does not exist'),
    });
    await expect(loadLabelled(await put('dev.csv', 'x'))).rejects.toMatchObject({ code: 'USAGE' });
    await expect(loadLabelled(await put('dev.ndjson', '\n'))).rejects.toMatchObject({ code: 'EMPTY_INPUT' });
    const file = join(dir, 'torn.ndjson.gz');
    await writeFile(file, gzipSync('x'.repeat(1000)).subarray(0, 20));
    await expect(loadLabelled(file)).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
  });
});

it.each([
  ['guide.md', 'guide.md'],
  ['guide.md#12', 'guide.md'],
  ['Oxygen#3#0', 'Oxygen'],
  ['C#', 'C#'],
  ['#7', '#7'],
  ['a#b#1', 'a#b'],
  ['year 1984', 'year 1984'],
])('the document of %j is %j', (passage, document) => {
  expect(documentOf(passage)).toBe(document);
});
