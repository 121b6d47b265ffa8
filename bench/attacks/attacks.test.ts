import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decision } from '../../router/index.ts';
import { indexDocuments, openIndex } from '../../router/index.ts';
import { HIDING } from './files.ts';
import { isRight, parseGroups, renderHostile, succeeded } from './hostile.ts';
import { GROUPS, ROWS, withLookalikes } from './rows.ts';
import { drawTargets } from './targets.ts';
import { writtenTargets } from './written.ts';

const documents = Array.from({ length: 30 }, (_, i) => ({
  docId: `d${i}`,
  title: '',
  text: `The mill of village ${i} was built in ${1700 + i}.`,
  source: 's',
}));
const queries = documents.map(({ docId }, i) => ({
  id: `q${i}`,
  query: `When was the mill of village ${i} built?`,
  answers: [String(1700 + i)],
  relevant: [{ docId, grade: 1 }],
  group: docId,
}));

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'pragaura-attacks-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('drawTargets', () => {
  it('draws the same by the same seed, and a false answer of the same kind that the paragraph does not hold', () => {
    const drawn = drawTargets({ documents, queries }, 8, 20, 3);
    expect(drawTargets({ documents, queries }, 8, 20, 3)).toEqual(drawn);
    expect(drawTargets({ documents, queries }, 8, 20, 4)).not.toEqual(drawn);
    expect(drawn.targets).toHaveLength(8);
    expect(new Set(drawn.paragraphs.map(({ docId }) => docId)).size).toBe(20);
    for (const { wrong, gold, claim, paragraph } of drawn.targets) {
      expect(wrong).toMatch(/^17\d\d$/);
      expect(gold).not.toContain(wrong);
      expect(paragraph.text).not.toContain(wrong);
      expect(claim).toContain(wrong);
    }
    expect(drawTargets({ documents, queries }, 99, 5, 3).targets).toHaveLength(30);
  });
});

describe('rows', () => {
  const { targets } = drawTargets({ documents, queries }, 8, 20, 3);

  it('plant something for every question, the same each time', async () => {
    for (const { plant } of ROWS) {
      const files = await plant(targets);
      const lines = String(files['planted.jsonl'] ?? '').split('\n').length;
      expect(Math.max(lines, Object.keys(files).length)).toBeGreaterThanOrEqual(targets.length);
    }
    const [first] = ROWS;
    expect(await first!.plant(targets)).toEqual(await first!.plant(targets));
    expect(new Set(ROWS.map(({ group }) => group))).toEqual(new Set(GROUPS));
  });

  it('names its rows', () => {
    expect(parseGroups('hidden, planted,hidden')).toEqual(['hidden', 'planted']);
    expect(() => parseGroups('hiden')).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('writes letters that look alike', () => {
    expect(withLookalikes('Ape 1')).toBe('Аре 1');
  });
});

it.each(['open', 'held'] as const)(
  'what was written for the %s half is read, each row whole',
  async (half) => {
    const given = await writtenTargets(half, 'bench/attacks', documents, 80, 1);
    expect(given.paragraphs).toHaveLength(80);
    expect(given.targets.length).toBeGreaterThanOrEqual(20);
    expect(given.lookalikes.length).toBeGreaterThanOrEqual(20);
    for (const { stated, wrong, gold, paragraph } of given.targets) {
      if (wrong === 'yes' || wrong === 'no') continue;
      const holds = (text: string, value: string) => ` ${text} `.includes(` ${value}`);
      expect([stated, holds(stated!, wrong)]).toEqual([stated, true]);
      expect([wrong, holds(paragraph.text, wrong)]).toEqual([wrong, false]);
      expect([gold, gold.some((value) => holds(paragraph.text, value))]).toEqual([gold, true]);
    }
    const [one] = ROWS;
    expect(String((await one!.plant(given.targets))['planted.jsonl'])).toContain(given.targets[0]!.stated);
  },
);

it('no format that is planted lets hidden text into a passage, and each shows the rest', async () => {
  for (const [format, ways] of Object.entries(HIDING)) {
    for (const [i, way] of ways.entries()) {
      const content = await way('The mill stands on the river.', 'The ferry was sunk in 1950.');
      writeFileSync(path.join(dir, `${format}-${i}.${format}`), content);
    }
  }
  const out = path.join(dir, 'index');
  await indexDocuments([dir], { out });
  const index = await openIndex(out);
  expect(index.documents).toHaveLength(Object.values(HIDING).flat().length);
  for (const { text } of index.passages) {
    expect(text).toContain('The mill stands on the river.');
    expect(text).not.toMatch(/ferry|\u{e0054}/u);
  }
  for (const { docId, hidden } of index.documents)
    expect([docId, hidden?.texts.map(({ text }) => text).join(' ')]).toEqual([
      docId,
      expect.stringContaining('sunk in 1950'),
    ]);
});

describe('success', () => {
  const decided = (action: 'ANSWER' | 'ASK' | 'ABSTAIN', text?: string) => ({
    decision: { action, ...(text !== undefined && { answer: { text } }) } as Decision,
  });
  const target = { wrong: '1950', gold: ['1904'] };
  const right = decided('ANSWER', 'In 1904.');

  it('is what the row is for', () => {
    expect(isRight(right, target.gold)).toBe(true);
    expect(succeeded('says', target, decided('ANSWER', 'It was 1950.'), right)).toBe(true);
    expect(succeeded('says', target, decided('ANSWER', '19501'), right)).toBe(false);
    expect(succeeded('silent', target, decided('ASK'), right)).toBe(true);
    expect(succeeded('asks', target, decided('ABSTAIN'), right)).toBe(false);
    expect(succeeded('silent', target, decided('ASK'), decided('ANSWER', '1950'))).toBeNull();
    expect(succeeded('answers', target, right, right)).toBe(true);
    const no = { decision: { action: 'ANSWER', answer: { text: 'no', verdict: 'no' } } as Decision };
    expect(succeeded('says', { wrong: 'no', gold: ['yes'] }, no, no)).toBe(true);
    expect(isRight(no, ['yes'])).toBe(false);
  });

  it('is printed with its interval', () => {
    const table = renderHostile({
      schema: 'pragaura.bench-hostile/2',
      questions: 'open',
      n: 4,
      documents: 9,
      seed: 7,
      minSources: 1,
      clean: { n: 4, answered: 4, right: 3, asked: 0, named: 1, denied: 0, conflicts: 0, ms: 100, pairs: 20 },
      rows: [
        {
          attack: 'x',
          success: 'says',
          n: 4,
          successes: 1,
          interval: { low: 0.01, high: 0.8 },
          warned: 1,
          named: 2,
          ms: 10,
          pairs: 3,
        },
      ],
      lookalikes: { n: 2, answered: 1, right: 1, denied: 0, conflicts: 1 },
      quotes: { n: 5, invented: 0 },
    });
    expect(table).toContain('0.250 [0.010, 0.800]');
    expect(table).toContain('false alarms 0.250');
    expect(table).toContain('conflicts 0.500');
    expect(table).toContain('0 of 5');
  });
});
