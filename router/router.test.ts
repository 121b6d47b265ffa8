import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COUNTED_UNITS } from '../profiles/index.ts';
import { Decision, indexDocuments, openRouter, Query, type Router } from './index.ts';
import { demoIndex } from './testing/demo-index.ts';

const demo = dirname(createRequire(import.meta.url).resolve('#demo/queries.ndjson'));
let folder: string;
let index: string;
let queries: Query[];
let router: Router;
let decisions: Decision[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-router-'));
  index = join(folder, 'index');
  await demoIndex(index);
  queries = (await linesOf('queries.ndjson')).map((line) => Query.parse(line));
  router = await openRouter({ index, threads: 2 });
  decisions = await Promise.all(queries.map((query) => router.route(query)));
});

afterAll(async () => {
  await router.close();
  await rm(folder, { recursive: true, force: true });
});

async function linesOf(name: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(demo, name), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** A decision without what the clock wrote into it. */
function timeless(decision: Decision): unknown {
  const { timings: _, receipt, ...rest } = decision;
  const { ms: __, ...spent } = receipt.spent;
  const stages = receipt.stages.map(({ ms: ___, ...stage }) => stage);
  return { ...rest, receipt: { ...receipt, spent, stages } };
}

const question = (query: string, more: Partial<Query> = {}): Query => ({ id: 'q', query, ...more });

describe('the demo collection', () => {
  it('gives all three actions, mostly the labelled one', async () => {
    const labels = await linesOf('expected.ndjson');
    const action = new Map(labels.map((label) => [label.id, label.action]));
    const right = decisions.filter((decision) => decision.action === action.get(decision.id));
    expect(right.length).toBeGreaterThanOrEqual(21);
    expect(new Set(right.map((decision) => decision.action)).size).toBe(3);
  });

  it('gives decisions that fit their schema', () => {
    for (const decision of decisions) expect(Decision.parse(decision)).toEqual(decision);
  });

  it('cuts every answer out of a passage that is shown', () => {
    const answered = decisions.filter((decision) => decision.answer !== undefined);
    expect(answered.length).toBeGreaterThan(0);
    for (const { answer, evidence, action } of answered) {
      expect(action).toBe('ANSWER');
      expect(evidence[0]?.passageId).toBe(answer!.quotes[0]!.passageId);
      for (const { passageId, text, start, end } of answer!.quotes) {
        const passage = evidence.find((each) => each.passageId === passageId)!;
        expect(passage.text.slice(start - passage.start, end - passage.start)).toBe(text);
      }
    }
  });

  it('refuses with a reason and never with an answer', () => {
    for (const decision of decisions) {
      const refusal = decision.clarification ?? decision.abstention;
      expect(refusal === undefined).toBe(decision.action === 'ANSWER');
      expect(decision.clarification !== undefined).toBe(decision.action === 'ASK');
      if (refusal) expect(refusal.message.length).toBeGreaterThan(10);
    }
  });

  it('promises nothing without a calibration', () => {
    for (const { guarantee } of decisions) expect(guarantee.status).toBe('NOT_CALIBRATED');
  });
});

describe('the budget', () => {
  it('is never exceeded in any unit', () => {
    for (const { receipt } of decisions) {
      for (const unit of COUNTED_UNITS) {
        const sum = receipt.stages.reduce((total, stage) => total + stage.spent[unit], 0);
        expect(sum).toBe(receipt.spent[unit]);
        expect(sum).toBeLessThanOrEqual(receipt.budget[unit]);
      }
    }
  });

  it('is not touched by what is no question', () => {
    const thanks = decisions.filter(({ act }) => act.label === 'NOT_A_QUESTION');
    expect(thanks.length).toBeGreaterThan(0);
    for (const { receipt } of thanks) for (const unit of COUNTED_UNITS) expect(receipt.spent[unit]).toBe(0);
  });

  it('for no reading says so, and not that nothing was found', async () => {
    const blind = await openRouter({ index, threads: 1, budget: { rerankPairs: 0 } });
    try {
      const { action, abstention, evidence } = await blind.route(question('Who leads the platform team?'));
      expect(action).toBe('ABSTAIN');
      expect(abstention?.reason).toBe('NO_SUPPORTED_ANSWER');
      expect(evidence.length).toBeGreaterThan(0);
    } finally {
      await blind.close();
    }
  });

  it('of nothing gives an abstention, not an answer', async () => {
    const poor = await openRouter({
      index,
      threads: 1,
      budget: { docsScored: 0, rerankPairs: 0, nliPairs: 0, contextTokens: 0 },
    });
    try {
      expect((await poor.route(question('Who leads the platform team?'))).action).toBe('ABSTAIN');
    } finally {
      await poor.close();
    }
  });
});

describe('the same query', () => {
  it('gives the same decision alone, beside others, and on one thread', async () => {
    const alone = await openRouter({ index, threads: 1 });
    try {
      for (const [i, query] of queries.entries()) {
        expect(timeless(await alone.route(query))).toEqual(timeless(decisions[i]!));
      }
    } finally {
      await alone.close();
    }
  });
});

describe('metadata beside a query', () => {
  it('changes nothing', async () => {
    const asked = question('Who leads the platform team?');
    const noted = await router.route({ ...asked, metadata: { split: 'test', query: 'Who else?' } });
    expect(timeless(noted)).toEqual(timeless(await router.route(asked)));
  });
});

describe('time and cancelling', () => {
  it('abstains when the deadline passes', async () => {
    const decision = await router.route(question('How long are raw observations kept?', { deadlineMs: 1 }));
    expect(decision.action).toBe('ABSTAIN');
    expect(decision.abstention?.reason).toBe('DEADLINE_EXCEEDED');
    expect(decision.receipt.spent.ms).toBeLessThanOrEqual(1);
  });

  it('takes no deadline that a timer cannot hold', () => {
    expect(Query.safeParse(question('q', { deadlineMs: 86_400_000 })).success).toBe(true);
    expect(Query.safeParse(question('q', { deadlineMs: 86_400_001 })).success).toBe(false);
  });

  it('throws ABORTED when the caller goes away, and serves the next one', async () => {
    const gone = new AbortController();
    const lost = router.route(question('How long are raw observations kept?'), { signal: gone.signal });
    gone.abort();
    await expect(lost).rejects.toMatchObject({ code: 'ABORTED' });
    expect((await router.route(question('Who leads the platform team?'))).action).toBe('ANSWER');
  });
});

describe('what cannot work', () => {
  it('is told to callers without a compiler', async () => {
    for (const query of [
      undefined,
      'Who?',
      { id: 'a' },
      { id: 'a', query: 5 },
      { id: 'a', query: 'Who?', k: 1 },
    ]) {
      await expect(router.route(query as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    for (const options of [undefined, {}, { index: '' }, { index, thread: 1 }]) {
      await expect(openRouter(options as never)).rejects.toMatchObject({ code: 'CONFIGURATION' });
    }
    await expect(indexDocuments(['docs'], undefined as never)).rejects.toMatchObject({
      code: 'CONFIGURATION',
    });
  });

  it('is refused at the door', async () => {
    await expect(openRouter({ index: join(folder, 'nothing') })).rejects.toMatchObject({
      code: 'INDEX_UNUSABLE',
    });
    await expect(openRouter({ index, budget: { nliPairs: -1 } })).rejects.toMatchObject({
      code: 'CONFIGURATION',
    });
    await expect(openRouter({ index, profiles: folder })).rejects.toMatchObject({ code: 'CONFIGURATION' });
  });

  it('filters that match nothing give an abstention', async () => {
    const decision = await router.route(
      question('Who leads the platform team?', { filters: { docId: ['no such document'] } }),
    );
    expect(decision.action).toBe('ABSTAIN');
    expect(decision.evidence).toEqual([]);
  });
});
