import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScorers, type Scorers } from '../scorers/index.ts';
import {
  type CalibratedThresholds,
  Decision,
  openRouter,
  type Router,
  type SampledOpinion,
  type Sampler,
} from './index.ts';
import { FUSED_WEIGHT } from './retrieval/index.ts';
import { demoIndex } from './testing/demo-index.ts';

const _demo = dirname(createRequire(import.meta.url).resolve('#demo/queries.ndjson'));
const SETTINGS = {
  prompt: 'p',
  count: 2,
  temperature: 0.7,
  passages: 3,
  promptTokens: 100,
  generatedTokens: 20,
};
const QUESTION = { id: 'q', query: 'How long is raw data kept?' };
let folder: string;
let index: string;
let scorers: Scorers;
let router: Router;
/** Without the layer that asks about what the demo collection contradicts itself in. */
let open: Router;
const layers = { contradiction: { on: false } };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-calibrated-'));
  index = join(folder, 'index');
  await demoIndex(index);
  scorers = await openScorers({ threads: 1 });
  router = await openRouter({ index, scorers });
  open = await openRouter({ index, scorers, layers });
});

afterAll(async () => {
  await router.close();
  await open.close();
  await scorers.close();
  await rm(folder, { recursive: true, force: true });
});

/** Thresholds that hold for the open router: everything with open gates is answered. */
const calibrated = (over: Partial<CalibratedThresholds> = {}): CalibratedThresholds => ({
  status: 'CALIBRATED',
  score: { kind: 'formula', weights: { alpha: 0, beta: 0, gamma: 1 } },
  limits: {
    queryChars: 4000,
    verification: 0,
  },
  tauFor: () => 1,
  sentence: () => 'Promised.',
  hash: 'a1b2',
  validFor: open.validFor,
  ...over,
});

describe('a calibrated router', () => {
  it('decides by the thresholds, and names them', async () => {
    const opened = await openRouter({ index, scorers, layers, thresholds: calibrated() });
    const decision = await opened.route(QUESTION);
    expect(decision).toMatchObject({
      action: 'ANSWER',
      tau: 1,
      guarantee: { status: 'CALIBRATED', sentence: 'Promised.' },
      versions: { calibration: 'a1b2' },
    });
    expect(decision.U).toBeCloseTo(1 - decision.signals.E!, 12);
    await opened.close();
  });

  it('answers nothing for an act without a threshold', async () => {
    const opened = await openRouter({
      index,
      scorers,
      layers,
      thresholds: calibrated({ tauFor: () => null }),
    });
    expect(await opened.route(QUESTION)).toMatchObject({
      action: 'ABSTAIN',
      tau: null,
      guarantee: { status: 'NOT_CALIBRATED' },
    });
    await opened.close();
  });

  it('abstains when the time runs out while it decides', async () => {
    const deadlineMs = 3_000;
    let began = 0;
    const tauFor = () => {
      // The clock of the query starts a little later than this one.
      while (performance.now() - began < deadlineMs + 100);
      return 1;
    };
    const late = await openRouter({ index, scorers, layers, thresholds: calibrated({ tauFor }) });
    began = performance.now();
    const decision = await late.route({ ...QUESTION, deadlineMs });
    expect(decision.abstention?.reason).toBe('DEADLINE_EXCEEDED');
    await late.close();
  });

  it.each([
    ['another index', { index: 'x' }],
    ['other models \\(nli\\)', { models: {} }],
    ['another arithmetic \\(saturating, here [\\w ]+\\)', { arithmetic: 'saturating' }],
    ['other profiles', { profiles: 'x' }],
    ['another policy', { policy: 'uniform' as const }],
    ['other layers', { layers: 'x' }],
    ['another budget', {}],
  ])('refuses thresholds made with %s', async (named, over) => {
    const { validFor } = open;
    const other = { ...validFor, ...over };
    if ('models' in over) other.models = { ...validFor.models, nli: 'other@1' };
    if (Object.keys(over).length === 0) other.budget = { ...validFor.budget, nliPairs: 1 };
    await expect(
      openRouter({ index, scorers, layers, thresholds: calibrated({ validFor: other }) }),
    ).rejects.toThrow(new RegExp(`made with ${named}\\.$`));
  });

  it('leaves a shared pool open, also when it does not open itself', async () => {
    const [vector] = await scorers.embed(['still here']);
    expect(vector!.length).toBeGreaterThan(0);
  });
});

describe('an experiment', () => {
  it('may say what act a query is taken for', async () => {
    const seen: string[] = [];
    const opened = await openRouter({
      index,
      scorers,
      relabel: (query, act) => {
        seen.push(query);
        return { ...act, label: 'OPINION', confident: true };
      },
    });
    const { decision, blendedFrom } = await opened.explain(QUESTION);
    expect(decision.act.label).toBe('OPINION');
    expect(blendedFrom[0]!.act).toBe('OPINION');
    expect(seen).toEqual([QUESTION.query]);
    await opened.close();
  });
});

describe('an explanation', () => {
  it('says what was measured whatever the threshold: features, gate, ranking and candidate', async () => {
    const { decision, features, ranking, candidate, candidates } = await router.explain(QUESTION);
    expect(features.E).toBe(decision.signals.E);
    expect(ranking.length).toBe(candidates.length);
    const logitOf = new Map(
      candidates.map(({ passageId, relevance, fused }) => [
        passageId,
        Math.log(relevance! / (1 - relevance!)) + FUSED_WEIGHT * fused,
      ]),
    );
    const order = ranking.map(({ passageId }) => logitOf.get(passageId)!);
    expect(order).toEqual([...order].sort((a, b) => b - a));
    expect(candidate!.passage).toContain(candidate!.text);
    expect(candidate!.claim.length).toBeGreaterThan(candidate!.text.length);
    const query = 'How much is the annual membership fee?';
    const asked = await router.explain({ id: 'm', query });
    expect([asked.decision.action, asked.closed]).toEqual(['ABSTAIN', asked.decision.abstention!.reason]);
    expect((await router.explain({ id: 'o', query: 'Who leads the platform team?' })).closed).toBeNull();
    expect((await router.explain({ id: 'e', query: '?' })).closed).toBe('EMPTY_QUERY');
  });
});

describe('a router with a sampler', () => {
  const settings = { ...SETTINGS, model: 'm' };
  const asked: { question: string; passages: readonly { text: string }[]; candidate: string }[] = [];
  const sampler = (support: number | null, failure: SampledOpinion['failure'] = null): Sampler => ({
    settings,
    granted: { promptTokens: 10, generatedTokens: 10, requests: 10, samplePairs: 10 },
    draw: async (one) => {
      asked.push(one);
      const unit = { granted: 10, spent: 1 };
      return {
        drawn: support === null ? null : { meanings: [0, 0], semanticEntropy: 0, agreement: 1, support },
        failure,
        budget: { promptTokens: unit, generatedTokens: unit, requests: unit, samplePairs: unit },
      };
    },
  });
  const input = { feature: 'sampleSupport' as const, mean: 0.5, scale: 0.5, weight: 3, missing: -3 };
  const thresholds = () =>
    calibrated({
      score: { kind: 'learned', intercept: 0, inputs: [input], isotonic: null },
      tauFor: () => 0.5,
      validFor: { ...open.validFor, sampler: settings },
    });
  const routed = async (
    support: number | null,
    query = QUESTION,
    failure: SampledOpinion['failure'] = null,
  ) => {
    asked.length = 0;
    const own = { index, scorers, layers, thresholds: thresholds(), sampler: sampler(support, failure) };
    const opened = await openRouter(own);
    return opened.route(query);
  };

  it('answers where the language model says the same, and not where it does not', async () => {
    const same = await routed(1);
    expect(same).toMatchObject({ action: 'ANSWER', opinion: { drawn: { support: 1 } } });
    expect(same.U).toBeCloseTo(1 / (1 + Math.exp(3)));
    expect(asked).toMatchObject([{ question: QUESTION.query }]);
    expect(same.answer!.text).toContain(asked[0]!.candidate);
    expect(asked[0]!.passages.map(({ text }) => text)).toContain(same.evidence[0]!.text);
    expect(same.timings.sample).toBeGreaterThanOrEqual(0);
    expect((await routed(0)).action).not.toBe('ANSWER');
  });

  it('answers less where nothing could be drawn', async () => {
    const failure = { code: 'GENERATOR_UNAVAILABLE', message: 'down' };
    const decision = await routed(null, QUESTION, failure);
    expect(decision.action).not.toBe('ANSWER');
    expect(decision).toMatchObject({ opinion: { drawn: null, failure } });
    expect(Decision.parse(decision)).toEqual(decision);
  });

  it('asks nobody where a gate has decided', async () => {
    const decision = await routed(1, { id: 'q', query: 'What is the retention period of project ZX-99817?' });
    expect(decision).not.toHaveProperty('opinion');
    expect(asked).toEqual([]);
  });

  it('does not open without one, or with another, where the thresholds were made with it', async () => {
    const own = { index, scorers, layers, thresholds: thresholds() };
    await expect(openRouter(own)).rejects.toThrow('another language model');
    const other = { ...sampler(1), settings: { ...settings, count: 3 } };
    await expect(openRouter({ ...own, sampler: other })).rejects.toMatchObject({
      code: 'CALIBRATION_MISMATCH',
    });
    await expect(
      openRouter({ index, scorers, layers, thresholds: calibrated(), sampler: sampler(1) }),
    ).rejects.toMatchObject({ code: 'CALIBRATION_MISMATCH' });
  });
});
