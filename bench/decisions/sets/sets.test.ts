import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DecisionSet } from '../types.ts';
import { asQuestion } from './contract-nli.ts';
import { parseSetNames, type SetName, setNamed } from './index.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-decisions-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function put(file: string, value: unknown): Promise<void> {
  const text =
    typeof value === 'string'
      ? value
      : file.includes('.jsonl')
        ? (value as unknown[]).map((row) => `${JSON.stringify(row)}\n`).join('')
        : JSON.stringify(value);
  const where = path.join(dir, file);
  await mkdir(path.dirname(where), { recursive: true });
  await writeFile(where, file.endsWith('.gz') ? gzipSync(text) : text);
}

const load = (name: SetName): Promise<DecisionSet> => setNamed(name).load(dir);

/** Every query with its action, and the texts that it was given. */
function seen({ documents, queries }: DecisionSet) {
  const texts = new Map(documents.map(({ docId, text }) => [docId, text]));
  return queries.map(({ query, action, filters }) => [
    query,
    action,
    filters?.docId.map((id) => texts.get(id)),
  ]);
}

const SHARC_ROW = {
  question: 'Can I fish here?',
  scenario: 'I am 70.',
  history: [{ follow_up_question: 'Are you a resident?', follow_up_answer: 'Yes' }],
};

describe('ShARC', () => {
  const rows = [
    { ...SHARC_ROW, utterance_id: 'a', snippet: 'Fish if you\n* live here', answer: 'Yes' },
    { ...SHARC_ROW, utterance_id: 'b', snippet: 'Fish if you\n* live here', answer: 'Do you have a rod?' },
    { ...SHARC_ROW, utterance_id: 'c', snippet: 'Pay tax.', answer: 'Irrelevant', scenario: '', history: [] },
  ];

  it('gives the rule text, and scenario and replies as the conversation', async () => {
    await put('sharc/sharc_dev.json.gz', rows);
    const set = await load('sharc');
    expect(seen(set)).toEqual([
      ['Can I fish here?', 'ANSWER', ['Fish if you\n* live here']],
      ['Can I fish here?', 'ASK', ['Fish if you\n* live here']],
      ['Can I fish here?', 'ABSTAIN', ['Pay tax.']],
    ]);
    expect(set.queries[0]!.history).toEqual([
      { role: 'user', text: 'I am 70.' },
      { role: 'assistant', text: 'Are you a resident?' },
      { role: 'user', text: 'Yes' },
    ]);
    expect(set.queries[2]!.history).toEqual([]);
    expect(set.queries[0]!.group).toBe(set.queries[1]!.group);
  });

  it('has rules to be found in the open form, and shares groups with the closed one', async () => {
    await put('sharc/sharc_dev.json.gz', rows);
    await put('or-sharc/id2snippet.json', { 0: 'Other', 7: 'Fish if you\n* live here' });
    await put('or-sharc/open_retrieval_sharc_dev.jsonl', [
      { ...SHARC_ROW, utterance_id: 'a', answer: 'No', gold_snippet_id: '7' },
    ]);
    const open = await load('or-sharc');
    expect(seen(open)).toEqual([['Can I fish here?', 'ANSWER', undefined]]);
    expect(open.documents).toHaveLength(2);
    expect(open.queries[0]!.group).toBe((await load('sharc')).queries[0]!.group);
    await put('or-sharc/id2snippet.json', { 0: 'Other' });
    await expect(load('or-sharc')).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
  });
});

describe('ContractNLI', () => {
  it('makes questions of hypotheses', () => {
    expect(asQuestion('Some duties of Agreement may survive it.')).toBe(
      'May some duties of Agreement survive it?',
    );
    expect(asQuestion('Recipient shall not copy it.')).toBe('Shall Recipient not copy it?');
    expect(asQuestion('The sky is blue.')).toBe('Is it true that the sky is blue?');
  });

  it('is answered where the contract says it or denies it', async () => {
    const annotations = {
      n1: { choice: 'Entailment', spans: [0] },
      n2: { choice: 'Contradiction', spans: [1] },
      n3: { choice: 'NotMentioned', spans: [] },
    };
    const labels = {
      n1: { hypothesis: 'Anna shall pay.' },
      n2: { hypothesis: 'Anna may leave.' },
      n3: { hypothesis: 'All is lost.' },
    };
    const documents = ['first', 'second'].map((text, id) => ({
      id,
      text,
      spans: [[0, 5]],
      annotation_sets: [{ annotations }],
    }));
    await put('contract-nli/dev.json.gz', { documents, labels });
    const set = await load('contract-nli');
    expect(seen(set).slice(0, 3)).toEqual([
      ['Shall Anna pay?', 'ANSWER', ['first']],
      ['May Anna leave?', 'ANSWER', ['first']],
      ['Is it true that all is lost?', 'ABSTAIN', ['first']],
    ]);
    expect(new Set(set.queries.map(({ group }) => group)).size).toBe(2);
    await put('contract-nli/dev.json.gz', { documents, labels: {} });
    await expect(load('contract-nli')).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
  });
});

describe('SQuAD 2', () => {
  it('is given the article, or the whole index', async () => {
    const qa = (id: string, is_impossible: boolean) => ({
      id,
      question: `${id}?`,
      is_impossible,
      answers: is_impossible ? [] : [{ text: 'one' }],
    });
    const data = [
      {
        title: 'A_b',
        paragraphs: [
          { context: 'one', qas: [qa('q1', false), qa('q2', true)] },
          { context: 'two', qas: [] },
        ],
      },
      { title: 'C', paragraphs: [{ context: 'three', qas: [] }] },
    ];
    for (const file of ['cs224n.json.gz', 'san-slice.json', 'small.json'])
      await put(`squad/squad2-dev-${file}`, { data });
    const given = await load('squad2');
    expect(seen(given)).toEqual([
      ['q1?', 'ANSWER', ['one', 'two']],
      ['q2?', 'ABSTAIN', ['one', 'two']],
    ]);
    expect(given.queries.map(({ answers }) => answers)).toEqual([['one'], undefined]);
    expect((await load('squad2-open')).queries.map(({ filters }) => filters)).toEqual([undefined, undefined]);
  });
});

describe('sets without documents of their own', () => {
  it('ClariQ: one query a topic, facets of all topics as documents', async () => {
    const head = 'topic_id\tinitial_request\ttopic_desc\tclarification_need\tfacet_id\tfacet_desc\n';
    await put(
      'clariq/train.tsv.gz',
      `${head}1\tTell me\tThe "tale"\t2\tF1\tIt\\'s one\n1\tTell me\tThe "tale"\t2\tF2\ttwo\n`,
    );
    await put('clariq/dev.tsv', `${head}2\tshow\tA map\t3\tF3\t\n`);
    const set = await load('clariq');
    expect(seen(set)).toEqual([
      ['Tell me', 'ANSWER', undefined],
      ['show', 'ASK', undefined],
    ]);
    expect(set.documents.map(({ text }) => text)).toEqual(['The "tale"', "It's one", 'two', 'A map']);
    expect(set.queries.every(({ fits }) => !fits)).toBe(true);
  });

  it('AmbigQA: each reading with its answer, nothing on which annotators disagree', async () => {
    const single = { type: 'singleAnswer', answer: ['Ann', 'Ann Lee'] };
    const several = {
      type: 'multipleQAs',
      qaPairs: [
        { question: 'Who in 1990?', answer: ['Bo.'] },
        { question: 'Who in 2000?', answer: ['Cy'] },
      ],
    };
    await put('ambigqa/dev_light.json.gz', [
      { id: '1', question: 'Who?', annotations: [single] },
      { id: '2', question: 'Whom?', annotations: [several] },
      { id: '3', question: 'Whose?', annotations: [single, several] },
    ]);
    const set = await load('ambigqa');
    expect(seen(set)).toEqual([
      ['Who?', 'ANSWER', undefined],
      ['Whom?', 'ASK', undefined],
    ]);
    expect(set.documents.map(({ text }) => text)).toEqual([
      'Who? Ann.',
      'Who in 1990? Bo.',
      'Who in 2000? Cy.',
    ]);
    expect(set.queries[0]!.answers).toEqual(['Ann', 'Ann Lee']);
  });

  it('FalseQA: answers and corrections as documents', async () => {
    await put('falseqa/train.csv', 'question,answer,label\n"Why, then?",They do not.,1\nWho?,"He, did.",0\n');
    const set = await load('falseqa');
    expect(seen(set)).toEqual([
      ['Why, then?', 'ABSTAIN', undefined],
      ['Who?', 'ANSWER', undefined],
    ]);
    expect(set.documents.map(({ text }) => text)).toEqual(['They do not.', 'He, did.']);
    await put('falseqa/train.csv', 'question,answer,label\nWho?,He.,2\n');
    await expect(load('falseqa')).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
  });

  it('CLINC: train utterances under their intents', async () => {
    await put('clinc-oos/data_full.json.gz', {
      train: [['book a seat', 'book_seat']],
      test: [['a seat please', 'book_seat']],
      oos_test: [['why is the sky blue', 'oos']],
    });
    const set = await load('clinc');
    expect(seen(set).map(([, action]) => action)).toEqual(['ANSWER', 'ABSTAIN']);
    expect(set.documents[0]).toMatchObject({ title: 'book seat', text: 'book a seat' });
  });
});

describe('conversations', () => {
  it('Abg-CoQA: the story given, stories with terms of their own never fitted on', async () => {
    const row = {
      story: 'Once.',
      target_turn: { question: 'Which?', answer: 'one' },
      history_turns: [{ question: 'Who?', answer: 'Ann' }],
    };
    await put('abg-coqa/coqa_abg_val.json.gz', {
      data: [
        { ...row, id: '1', ambiguity: 'ambiguous', source: 'race' },
        { ...row, id: '2', ambiguity: 'non_ambiguous', source: 'wikipedia', story: 'Twice.' },
      ],
    });
    const set = await load('abg-coqa');
    expect(seen(set)).toEqual([
      ['Which?', 'ASK', ['Once.']],
      ['Which?', 'ANSWER', ['Twice.']],
    ]);
    expect(set.queries.map(({ fits, answers }) => [fits, answers])).toEqual([
      [false, undefined],
      [true, ['one']],
    ]);
    expect(set.queries[0]!.history).toEqual([
      { role: 'user', text: 'Who?' },
      { role: 'assistant', text: 'Ann' },
    ]);
  });

  it('CANARD: the section as far as replies quote it, the last turn left out', async () => {
    const row = (Question_no: number, ...turns: string[]) => ({
      History: ['Zed', 'Youth', ...turns],
      Question: `Q${Question_no}?`,
      Rewrite: '',
      QuAC_dialog_id: 'd',
      Question_no,
    });
    await put('canard/dev.json.gz', [
      row(1),
      row(2, 'Q1?', 'Born in Oslo.'),
      row(3, 'Q1?', 'Born in Oslo.', 'Q2?', "I don't know."),
    ]);
    const set = await load('canard');
    expect(seen(set)).toEqual([
      ['Q1?', 'ANSWER', ['Born in Oslo.']],
      ['Q2?', 'ABSTAIN', ['Born in Oslo.']],
    ]);
    expect(set.queries[1]!.history!.map(({ role }) => role)).toEqual(['user', 'user', 'user', 'assistant']);
    expect(set.documents[0]!.title).toBe('Zed > Youth');
  });
});

describe('conflicts', () => {
  it('RAMDocs: all, one answer, one answer and false ones; the first 160 questions are for tuning', async () => {
    const doc = (text: string, type: string, answer: string) => ({ text, type, answer });
    const row = {
      question: 'Who?',
      documents: [doc('A did', 'correct', 'A'), doc('B did', 'correct', 'B'), doc('X did', 'misinfo', 'X')],
      gold_answers: ['A', 'B'],
      wrong_answers: ['X'],
    };
    const plain = { ...row, gold_answers: ['A'], documents: row.documents.slice(0, 1) };
    await put('ramdocs/RAMDocs_test.jsonl.gz', [...Array.from({ length: 160 }, () => plain), row]);
    const set = await load('ramdocs');
    expect(
      set.queries.slice(0, 160).every(({ half, action }) => half === 'tune' && action === 'ANSWER'),
    ).toBe(true);
    expect(seen({ ...set, queries: set.queries.slice(160) })).toEqual([
      ['Who?', 'ASK', ['A did', 'B did', 'X did']],
      ['Who?', 'ANSWER', ['A did']],
      ['Who?', 'ABSTAIN', ['A did', 'X did']],
    ]);
    expect(set.queries.at(-1)).toMatchObject({ half: 'report', also: 'ASK' });
  });

  it('ConflictQA: two of one side, one of each', async () => {
    const row = {
      question: 'Is it?',
      parametric_memory: 'm',
      parametric_memory_aligned_evidence: 'me',
      counter_memory: 'c',
      counter_memory_aligned_evidence: 'ce',
    };
    await put('conflictqa/conflictQA-strategyQA-chatgpt.jsonl.gz', [row, row]);
    await put('conflictqa/conflictQA-strategyQA-llama2-70b.jsonl.gz', []);
    expect(seen(await load('conflictqa'))).toEqual([
      ['Is it?', 'ANSWER', ['m', 'me']],
      ['Is it?', 'ABSTAIN', ['me', 'ce']],
      ['Is it?', 'ANSWER', ['c', 'ce']],
      ['Is it?', 'ABSTAIN', ['ce', 'me']],
    ]);
  });
});

describe('names of sets', () => {
  it('are checked', () => {
    expect(parseSetNames('mix, sharc,mix')).toEqual(['mix', 'sharc']);
    expect(() => parseSetNames('mix,constructor')).toThrow(
      expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining('or-sharc') }),
    );
  });

  it('that are missing are told by file', async () => {
    await expect(load('sharc')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('sharc_dev'),
    });
  });
});

describe('poison', () => {
  it('says what is false and gives orders, alone or beside what is sound; others give orders to people', async () => {
    const { documents, queries } = await load('poison');
    expect([documents.length, queries.length]).toEqual([180, 140]);
    expect(new Set(documents.map(({ text }) => text)).size).toBe(180);
    const kinds = queries.map(({ id, action, answers }) =>
      [id.split(/[:-]/)[1], action, answers?.length ?? 0].join(),
    );
    expect(new Set(kinds)).toEqual(new Set(['alone,ABSTAIN,0', 'beside,ANSWER,1', 'innocent,ANSWER,1']));
    expect(documents.filter(({ text }) => text.includes('{value}'))).toEqual([]);
    const sound = documents.filter(({ docId }) => docId.includes('-sound-'));
    for (const [n, { answers }] of queries.filter(({ action }) => action === 'ANSWER').entries()) {
      expect(sound[n]!.text).toContain(answers![0]);
    }
  });
});

describe('identifiers', () => {
  it('exist, or do not', async () => {
    const { documents, queries } = await load('identifiers');
    expect([documents.length, queries.length]).toEqual([40, 1_000]);
    expect(documents[0]).toMatchObject({ title: expect.stringMatching(/^ADR-0001: /) });
    expect(documents[0]!.text).toMatch(/^ADR-0001 was approved/);
    expect(queries.filter(({ action }) => action === 'ANSWER')).toHaveLength(500);
  });
});

describe('terms', () => {
  const data = [{ title: 'Rain', paragraphs: [{ context: 'Rain falls.', qas: [] }] }];

  it('are defined under both names, lacking, misspelled, or asked something else about', async () => {
    for (const file of ['small.json', 'san-slice.json', 'cs224n.json.gz'])
      await put(`squad/squad2-dev-${file}`, { data });
    const { vocabulary, queries } = await load('terms');
    const lines = vocabulary!.trim().split('\n');
    expect([lines.length, lines[0]]).toEqual([401, 'term,synonym,definition']);
    const rows = lines.slice(1).map((line) => line.slice(1, -1).split('","'));
    const names = new Set(rows.flatMap(([label, synonym]) => [label!, synonym!]));
    expect(names.size).toBe(800);
    const holds = (query: string) => [...names].some((name) => query.includes(name));
    for (const { id, query, action, answers } of queries) {
      expect(query).not.toMatch(/[{}]/);
      const kind = id.split(/[:-]/)[1]!;
      if (kind === 'name' || kind === 'synonym') {
        const [label, synonym, definition] = rows.find(
          (row) => row[2]!.replaceAll('""', '"') === answers![0],
        )!;
        expect(query).toContain(kind === 'name' ? label : synonym);
        expect([action, definition!.length > 0]).toEqual(['ANSWER', true]);
      } else expect(action).toBe(kind === 'unknown' || kind === 'misspelled' ? 'ASK' : 'ABSTAIN');
      if (kind === 'aside' || kind === 'compared') expect(holds(query)).toBe(true);
    }
    expect(queries).toHaveLength(800);
  });
});
