import { describe, expect, it } from 'vitest';
import { fitPlanner } from '../../calibration/index.ts';
import { type Action, PLANNING_FEATURES, type PlannerFeatures } from '../../router/index.ts';
import type { Facts } from './observation/facts.ts';
import { type MeasuredSet, parseGroups, reported, rowsOf } from './planners.ts';
import {
  allLayers,
  alwaysAnswer,
  byPlanner,
  judgedBy,
  layerAlone,
  layersThatClose,
  numbersGate,
  paperGate,
  thresholds,
} from './policies.ts';
import type { DecisionQuery } from './types.ts';

const FACTS: Facts = {
  id: 'a',
  error: null,
  final: null,
  alone: { distance: 'ABSTAIN' },
  layers: 'ABSTAIN',
  thresholds: 'ASK',
  bare: 'ANSWER',
  general: 'ANSWER',
  relevance: 'ANSWER',
  reach: { span: true, passage: true },
  declined: 'ABSTAIN',
  hardGate: 'ASK',
  numbersGate: 'ANSWER',
  candidate: 'in 1666',
  defined: null,
  answerable: true,
  planning: null,
};

const features = (E: number): PlannerFeatures =>
  Object.fromEntries(PLANNING_FEATURES.map((name) => [name, name === 'E' ? E : null])) as PlannerFeatures;

const query = (rest: Partial<DecisionQuery>): DecisionQuery => ({
  id: 'q',
  query: '?',
  action: 'ANSWER',
  group: 'g',
  source: 's',
  fits: true,
  ...rest,
});

const ASKED = { query: 'When?' };

describe('policies', () => {
  it('say what they see', () => {
    expect(
      [alwaysAnswer, numbersGate, paperGate, allLayers, thresholds].map(
        (policy) => policy(FACTS, ASKED).action,
      ),
    ).toEqual(['ANSWER', 'ANSWER', 'ASK', 'ABSTAIN', 'ASK']);
    expect([layerAlone('distance')(FACTS, ASKED).action, layerAlone('scope')(FACTS, ASKED).action]).toEqual([
      'ABSTAIN',
      'ANSWER',
    ]);
    expect(layersThatClose([FACTS, { ...FACTS, alone: { bands: 'ABSTAIN' } }])).toEqual([
      'distance',
      'bands',
    ]);
  });

  it('do not overrule what none may', () => {
    const refused: Facts = { ...FACTS, final: 'ABSTAIN', layers: null };
    expect([paperGate, allLayers, alwaysAnswer].map((policy) => policy(refused, ASKED).action)).toEqual([
      'ABSTAIN',
      'ABSTAIN',
      'ANSWER',
    ]);
  });

  it('answer by a planner only what a passage holds', () => {
    const rows = Array.from({ length: 60 }, (_, i) => ({
      features: features(i % 2),
      action: (i % 2 === 1 ? 'ANSWER' : 'ABSTAIN') as Action,
      group: `g${i % 12}`,
    }));
    const policy = byPlanner(fitPlanner(rows).model);
    const sure = { ...FACTS, planning: features(1) };
    expect(policy(sure, ASKED).action).toBe('ANSWER');
    expect(policy({ ...sure, answerable: false }, ASKED).action).not.toBe('ANSWER');
    expect(policy({ ...FACTS, planning: features(0) }, ASKED).action).toBe('ABSTAIN');
    expect(policy({ ...sure, final: 'ASK' }, ASKED).action).toBe('ASK');
  });
});

describe('judgedBy', () => {
  it('holds the definition against the answers where the vocabulary was consulted', () => {
    const queries = [query({ answers: ['a kind of heron'] })];
    const facts: Facts[] = [{ ...FACTS, final: 'ANSWER', thresholds: 'ANSWER', defined: 'a kind of heron' }];
    const misread = [alwaysAnswer, layerAlone('scope'), layerAlone('vocabulary'), thresholds, allLayers].map(
      (policy) => judgedBy(policy, queries, facts)[0]!.misread,
    );
    expect(misread).toEqual([true, true, false, false, false]);
  });

  it('knows other texts, actions that are right as well, and failures', () => {
    const queries = [
      query({ answers: ['1666'] }),
      query({ answers: ['about the plague'] }),
      query({ action: 'ABSTAIN', also: 'ASK' }),
      query({ action: 'ABSTAIN' }),
    ];
    const facts = [FACTS, FACTS, FACTS, { ...FACTS, error: 'SCORING_FAILED' }];
    expect(judgedBy(({ candidate }) => ({ action: 'ASK', text: candidate }), queries, facts)).toEqual([
      { group: 'g', gold: 'ANSWER', said: 'ASK', misread: false },
      { group: 'g', gold: 'ANSWER', said: 'ASK', misread: true },
      { group: 'g', gold: 'ABSTAIN', said: 'ABSTAIN', misread: null },
      { group: 'g', gold: 'ABSTAIN', said: null, misread: null },
    ]);
  });
});

describe('what planners are fitted on', () => {
  const facts = (n: number): Facts[] =>
    Array.from({ length: n }, () => ({ ...FACTS, planning: features(0.5) }));
  const set = (name: string, queries: DecisionQuery[]): MeasuredSet => ({
    name,
    about: '',
    queries,
    facts: facts(queries.length),
  });
  const small = set('small', [
    query({ half: 'tune' }),
    query({ half: 'tune', action: 'ASK' }),
    query({ half: 'report' }),
    query({ half: 'tune', fits: false }),
  ]);
  const large = set(
    'large',
    Array.from({ length: 8 }, (_, i) =>
      query({ half: 'tune', source: 't', action: i < 6 ? 'ANSWER' : 'ASK' }),
    ),
  );

  it('is the tuning half of what may be fitted on, sets and actions of one weight', () => {
    const rows = rowsOf([small, large], new Set());
    expect(rows).toHaveLength(10);
    const sum = (action: Action) =>
      rows.filter((row) => row.action === action).reduce((total, { weight }) => total + weight!, 0);
    expect([sum('ANSWER'), sum('ASK')]).toEqual([expect.closeTo(1, 12), expect.closeTo(1, 12)]);
    // ANSWER: half of the small set in one row, three quarters of the large one in six.
    expect(rows[0]!.weight).toBeCloseTo(0.5 / 1.25, 12);
    expect(rows[1]!.weight).toBeCloseTo(0.125 / 1.25, 12);
  });

  it('leaves out sources, and what no planner decides', () => {
    expect(rowsOf([small, large], new Set(['t']))).toHaveLength(2);
    const final = { ...small, facts: small.facts.map((own) => ({ ...own, final: 'ABSTAIN' as const })) };
    expect(rowsOf([final], new Set())).toEqual([]);
  });

  it('is never reported; all else is', () => {
    expect(reported(small).queries).toEqual(small.queries.slice(2));
    expect(reported(small).facts).toHaveLength(2);
  });

  it('can be less of the features', () => {
    expect(parseGroups('graph, state')).toEqual(['graph', 'state']);
    expect(() => parseGroups('graph,toString')).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
