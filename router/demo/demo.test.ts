import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ACTIONS, Query } from '../contracts.ts';

const HERE = import.meta.dirname;
const DOCUMENTS = join(HERE, 'documents');
const Label = z.strictObject({
  id: z.string(),
  query: z.string(),
  answers: z.array(z.string().min(1)).min(1).optional(),
  answerable: z.boolean(),
  action: z.enum(ACTIONS),
});

const files = readdirSync(DOCUMENTS, { recursive: true, encoding: 'utf8' }).filter((name) =>
  statSync(join(DOCUMENTS, name)).isFile(),
);

/** The documents whose text is the file, markup taken away and white space folded. */
const TEXT = files
  .filter((name) => !/\.(pdf|docx)$/.test(name))
  .map((name) => readFileSync(join(DOCUMENTS, name), 'utf8').replace(/<[^>]*>|\*\*/g, ''))
  .join('\n')
  .replace(/\s+/g, ' ');

function records<T>(name: string, schema: z.ZodType<T>): T[] {
  const lines = readFileSync(join(HERE, name), 'utf8').trimEnd().split('\n');
  return lines.map((line) => schema.parse(JSON.parse(line)));
}

const queries = records('queries.ndjson', Query);
const expected = records('expected.ndjson', Label);

describe('the demo collection', () => {
  it('is small and has every form that a person keeps documents in', () => {
    const bytes = readdirSync(HERE, { recursive: true, encoding: 'utf8' })
      .map((name) => statSync(join(HERE, name)))
      .reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0);
    expect(bytes).toBeLessThan(150_000);
    const forms = new Set(files.map((name) => name.slice(name.lastIndexOf('.') + 1)));
    expect([...forms].sort()).toEqual(['csv', 'docx', 'html', 'jsonl', 'md', 'pdf', 'txt']);
    expect(readFileSync(join(HERE, 'README.md'), 'utf8')).toContain('CC0 1.0');
  });

  it('labels exactly the queries that it asks, all three actions among them', () => {
    expect(expected.map(({ id, query }) => ({ id, query }))).toEqual(queries);
    expect(new Set(queries.map((query) => query.id)).size).toBe(queries.length);
    expect(new Set(expected.map((label) => label.action))).toEqual(new Set(ACTIONS));
    for (const label of expected) {
      expect(label.answerable).toBe(label.action === 'ANSWER');
      expect(label.answers !== undefined).toBe(label.answerable);
    }
  });

  it('says word for word what it expects as an answer', () => {
    // Stand in the PDF and the docx.
    const elsewhere = new Set(['d06', 'd07', 'd15']);
    for (const { id, answers } of expected) {
      if (answers === undefined || elsewhere.has(id)) continue;
      for (const answer of answers) expect(TEXT, id).toContain(answer);
    }
  });

  it('hides what its README says', () => {
    const adrs = new Set(TEXT.match(/ADR-\d{4}/g));
    expect(adrs.size).toBe(12);
    expect(adrs).not.toContain('ADR-0050');
    for (const claim of [
      'are kept for 90 days',
      'are kept for 30 days',
      'fee is 160 euros',
      'fee is 180 euros',
    ]) {
      expect(TEXT.split(claim)).toHaveLength(2);
    }
    for (const absent of [/parental/i, /payroll/i, /football/i, /colour/i, /cach(e|ing)/i])
      expect(TEXT).not.toMatch(absent);
  });
});
