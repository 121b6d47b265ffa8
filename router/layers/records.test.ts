/** Identifiers that exist and identifiers that do not, through the real router: ADR-0050 in a corpus of forty. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Decision, indexDocuments, openRouter, type Router } from '../index.ts';
import { decisionRecords, questionsAbout } from './decision-records.ts';

const TRIES = 300;
/** Queries of one test; together they are all, and the threads always have some to work on. */
const PART = 75;
const parts = Array.from({ length: TRIES / PART }, (_, i) => i * PART);

let folder: string;
let router: Router;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-records-'));
  const files = Object.entries(decisionRecords());
  await Promise.all(files.map(([name, text]) => writeFile(join(folder, name), text)));
  await indexDocuments([folder], { out: join(folder, 'index') });
  router = await openRouter({ index: join(folder, 'index'), threads: 2 });
});

afterAll(async () => {
  await router.close();
  await rm(folder, { recursive: true, force: true });
});

const decided = (
  exist: boolean,
  from: number,
): Promise<[ReturnType<typeof questionsAbout>[number], Decision][]> =>
  Promise.all(
    questionsAbout(exist, TRIES)
      .slice(from, from + PART)
      .map(async (question) => [question, await router.route({ id: question.id, query: question.query })]),
  );

describe('questions about records that do not exist', () => {
  it.each(parts)('are never answered, and asked back with records that do (from %i)', async (from) => {
    for (const [{ query }, decision] of await decided(false, from)) {
      expect([query, decision.action]).toEqual([query, 'ASK']);
      expect(decision.clarification?.reason).toBe('UNKNOWN_IDENTIFIER');
      for (const near of decision.clarification!.suggestions)
        expect(near).toMatch(/^ADR-00(?:0[1-9]|[123]\d|40)$/);
    }
  });

  it('are told nothing of records that their filters keep from them', async () => {
    const filters = { docId: ['no such document'] };
    const decision = await router.route({ id: 'q', query: 'What does ADR-0050 decide?', filters });
    expect(decision.action).toBe('ABSTAIN');
    expect(JSON.stringify(decision)).not.toMatch(/ADR-00[0-4]\d/);
  });
});

describe('questions about records that exist', () => {
  it.each(parts)('are answered from that record (from %i)', async (from) => {
    for (const [{ query, record }, decision] of await decided(true, from)) {
      expect([query, decision.action]).toEqual([query, 'ANSWER']);
      expect(decision.evidence[0]?.source).toContain(record);
    }
  });
});
