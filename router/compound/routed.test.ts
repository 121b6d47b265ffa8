/** Several questions in one query, through the real pipeline. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutClocks } from '../../common/index.ts';
import { type Budget, COUNTED_UNITS } from '../../profiles/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { Decision, openRouter, type Query, type Router } from '../index.ts';
import { demoIndex } from '../testing/demo-index.ts';
import type { CalibratedThresholds } from '../types.ts';

const _demo = dirname(createRequire(import.meta.url).resolve('#demo/queries.ndjson'));
let folder: string;
let index: string;
let scorers: Scorers;
let router: Router;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-compound-'));
  index = join(folder, 'index');
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
  router = await openRouter({ index, scorers });
});

afterAll(async () => {
  await router.close();
  await scorers.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = async (query: string, more: Partial<Query> = {}): Promise<Decision> => {
  const decision = await router.route({ id: 'q', query, ...more });
  expect(Decision.parse(decision)).toEqual(decision);
  return decision;
};

const LEADS = 'Who leads the platform team?';
const SWITCHED_OFF = 'When was the FTP feed switched off?';
const UNHEARD_OF = 'When did the billing migration end?';
const OPEN = 'How often is it calibrated?';

/** What each part says for itself, and the whole says of them, must hold for every decision. */
function checkWhole({
  action,
  answer,
  clarification,
  abstention,
  parts,
  evidence,
  U,
  receipt,
}: Decision): void {
  for (const part of parts) {
    expect(part.answer !== undefined).toBe(part.action === 'ANSWER');
    expect(part.clarification !== undefined).toBe(part.action === 'ASK');
    expect(part.abstention !== undefined).toBe(part.action === 'ABSTAIN');
    for (const { text, start, end, passageId } of part.answer?.quotes ?? []) {
      const passage = evidence.find((each) => each.passageId === passageId)!;
      expect(passage.text.slice(start - passage.start, end - passage.start)).toBe(text);
    }
  }
  const actions = parts.map((part) => part.action);
  expect(action).toBe(actions.includes('ASK') ? 'ASK' : actions.includes('ABSTAIN') ? 'ABSTAIN' : 'ANSWER');
  expect(answer?.quotes).toEqual(
    action === 'ANSWER' ? parts.flatMap((part) => part.answer!.quotes) : undefined,
  );
  expect(U).toBe(
    parts.reduce<number | null>((most, part) => (part.U === null ? most : Math.max(most ?? 0, part.U)), null),
  );
  if (action !== 'ANSWER') expect((clarification ?? abstention)!.message).toMatch(/^Of your questions, "/);
  for (const unit of COUNTED_UNITS) expect(receipt.spent[unit]).toBeLessThanOrEqual(receipt.budget[unit]);
}

describe('a query with several questions', () => {
  it('is answered where every part is, each by its own act and evidence', async () => {
    const decision = await ask(`${LEADS} ${SWITCHED_OFF}`);
    checkWhole(decision);
    expect(decision.action).toBe('ANSWER');
    expect(decision.parts.map(({ query }) => query)).toEqual([LEADS, SWITCHED_OFF]);
    expect(decision.parts.map(({ act }) => act.label)).toEqual(['FACT', 'QUANTITY']);
    const [who, when] = decision.parts.map(({ answer }) => answer!.text);
    expect(who).toMatch(/Varnholt/);
    expect(decision.answer!.text).toBe(`${LEADS}\n${who}\n\n${SWITCHED_OFF}\n${when}`);
    expect(decision.evidence).toHaveLength(5);
    expect(decision.selfContained).toBeUndefined();
  });

  it('is not where one part is open: it says which, and the others keep their answers', async () => {
    const decision = await ask('Who leads the platform team and when did the billing migration end?');
    checkWhole(decision);
    expect(decision.action).toBe('ABSTAIN');
    expect(decision.parts.map(({ action }) => action)).toEqual(['ANSWER', 'ABSTAIN']);
    const alone = await ask(UNHEARD_OF);
    expect(decision.abstention!.reason).toBe(alone.abstention!.reason);
    expect(decision.abstention!.message).toBe(
      `Of your questions, "${UNHEARD_OF}" is open. ${alone.abstention!.message}`,
    );
    expect(decision.state).toMatchObject({ missing: alone.state!.missing });
  });

  it('has a later part made whole by an earlier one', async () => {
    const decision = await ask('What is the barometer BR-1 for and how often is it calibrated?');
    checkWhole(decision);
    expect(decision.parts[1]!.query).toBe('How often is BR-1 calibrated?');
    expect(decision.selfContained?.text).toBe(
      'What is the barometer BR-1 for? How often is BR-1 calibrated?',
    );
    expect(decision.selfContained?.reasons).toContainEqual({
      rule: 'PRONOUN',
      from: 'it',
      to: 'BR-1',
      turn: 0,
    });
  });

  it('asks about one part; a reply is about that part alone, and asking twice is none', async () => {
    const query = `${OPEN} ${LEADS}`;
    const first = await ask(query);
    checkWhole(first);
    expect(first.action).toBe('ASK');
    const { message, question } = first.clarification!;
    const alone = await ask(OPEN);
    expect(message).toBe(`Of your questions, "${OPEN}" is open. ${alone.clarification!.message}`);
    const said = (...texts: string[]): Query['history'] =>
      texts.map((text, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', text }));
    const { value } = question!.options[0]!;
    const reply = await ask(value, { history: said(query, message) });
    const replyAlone = await ask(value, { history: said(OPEN, alone.clarification!.message) });
    expect(reply.parts).toEqual([]);
    expect(reply.selfContained).toEqual(replyAlone.selfContained);
    expect([reply.action, reply.U, reply.evidence]).toEqual([
      replyAlone.action,
      replyAlone.U,
      replyAlone.evidence,
    ]);
    const refused = await ask('whatever', { history: said(query, message) });
    expect(refused.selfContained?.text).toBe(OPEN);
    expect((refused.clarification ?? refused.abstention)!.message).not.toContain(
      alone.clarification!.message,
    );
  });

  it('of ten is looked at up to the fourth and says so', async () => {
    const query = Array.from({ length: 10 }, (_, i) => `What does ADR-00${i + 10} decide?`).join(' ');
    const decision = await ask(query);
    checkWhole(decision);
    expect(decision.parts).toHaveLength(5);
    expect(decision.parts[4]).toMatchObject({
      action: 'ABSTAIN',
      abstention: { reason: 'TOO_MANY_QUESTIONS' },
      U: null,
      tau: null,
    });
    expect(decision.parts[4]!.query).toMatch(/^What does ADR-0014 decide\? .* What does ADR-0019 decide\?$/);
    expect(decision.action).not.toBe('ANSWER');
  });

  it('decides the same each time, and beside others', async () => {
    const query = `${LEADS} ${SWITCHED_OFF}`;
    const decisions = await Promise.all([ask(query), ask(LEADS), ask(query)]);
    const [first, , second] = decisions.map((decision) => withoutClocks(JSON.stringify(decision)));
    expect(second).toBe(first);
  });

  it('that comes too late answers nothing that was not answered in time', async () => {
    const decision = await ask(`${LEADS} ${SWITCHED_OFF}`, { deadlineMs: 1 });
    checkWhole(decision);
    expect(decision.abstention?.reason).toBe('DEADLINE_EXCEEDED');
    expect(decision.parts.map(({ action }) => action)).toEqual(['ABSTAIN', 'ABSTAIN']);
  });

  it('is promised nothing where its thresholds were calibrated on single questions', async () => {
    const thresholds: CalibratedThresholds = {
      status: 'CALIBRATED',
      score: { kind: 'formula', weights: { alpha: 0, beta: 0, gamma: 1 } },
      limits: { queryChars: 4000, verification: 0 },
      tauFor: () => 1,
      sentence: () => 'Promised.',
      hash: 'a1b2',
      validFor: router.validFor,
    };
    const calibrated = await openRouter({ index, scorers, thresholds });
    const statusOf = async (query: string) => (await calibrated.route({ id: 'q', query })).guarantee;
    expect((await statusOf(LEADS)).status).toBe('CALIBRATED');
    const { status, sentence } = await statusOf(`${LEADS} ${SWITCHED_OFF}`);
    expect(status).toBe('RESTRICTED');
    expect(sentence).toContain('this query has several questions');
    await calibrated.close();
  });

  it('throws when the caller goes away', async () => {
    const signal = AbortSignal.abort();
    const query = { id: 'q', query: `${LEADS} ${SWITCHED_OFF}` };
    await expect(router.route(query, { signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('one budget', () => {
  const questions = [
    LEADS,
    SWITCHED_OFF,
    UNHEARD_OF,
    OPEN,
    'Why was the rain of June 2024 missing?',
    'Is it so?',
  ];
  const budget: fc.Arbitrary<Budget> = fc.record({
    docsScored: fc.nat({ max: 60 }),
    rerankPairs: fc.nat({ max: 8 }),
    nliPairs: fc.nat({ max: 8 }),
    contextTokens: fc.nat({ max: 2_000 }),
    ms: fc.constant(null),
  });

  it('is never overspent, however many parts share it', async () => {
    await fc.assert(
      fc.asyncProperty(
        budget,
        fc.array(fc.constantFrom(...questions), { minLength: 1, maxLength: 7 }),
        fc.boolean(),
        async (limits, asked, learns) => {
          const store = join(folder, `defaults-${Math.random()}.sqlite`);
          const narrow = await openRouter({
            index,
            scorers,
            budget: limits,
            ...(learns && { defaults: { store, tenant: 't' } }),
          });
          try {
            const decision = await narrow.route({ id: 'q', query: asked.join(' ') });
            expect(Decision.parse(decision)).toEqual(decision);
            expect(decision.receipt.budget).toEqual(limits);
            for (const unit of COUNTED_UNITS) {
              expect(decision.receipt.spent[unit]).toBeLessThanOrEqual(limits[unit]);
            }
            if (decision.parts.length > 0) checkWhole(decision);
          } finally {
            await narrow.close();
          }
        },
      ),
      { numRuns: 12 },
    );
  });
});
