import { describe, expect, it } from 'vitest';
import type { Action } from '../../router/index.ts';
import { decisionsInFull } from './markdown.ts';
import type { Facts } from './observation/facts.ts';
import type { MeasuredSet } from './planners.ts';
import { renderSet } from './render.ts';
import { reportOn } from './report.ts';
import type { DecisionQuery } from './types.ts';

const query = (place: number, action: Action): DecisionQuery => ({
  id: `q${place}`,
  query: '?',
  action,
  group: `g${place % 4}`,
  half: place < 8 ? 'report' : 'tune',
  source: 's',
  fits: true,
});
const facts = (place: number): Facts => ({
  id: `q${place}`,
  error: null,
  final: null,
  alone: place % 2 === 1 ? { scope: 'ABSTAIN' } : {},
  layers: place % 2 === 1 ? 'ABSTAIN' : null,
  thresholds: 'ABSTAIN',
  bare: 'ABSTAIN',
  general: 'ANSWER',
  relevance: 'ANSWER',
  reach: { span: true, passage: true },
  declined: 'ABSTAIN',
  hardGate: 'ASK',
  numbersGate: 'ANSWER',
  defined: null,
  candidate: 'x',
  answerable: true,
  planning: null,
});
const places = Array.from({ length: 12 }, (_, place) => place);
const set: MeasuredSet = {
  name: 'test',
  about: 'made up',
  queries: places.map((place) => query(place, place % 2 === 1 ? 'ABSTAIN' : 'ANSWER')),
  facts: places.map(facts),
};

describe('reportOn', () => {
  const report = reportOn(set, [])!;

  it('compares all policies, and each layer that closes, on the half that is reported', () => {
    const accuracies = report.rows.map(({ policy, figures }) => [policy, figures.n, figures.accuracy.value]);
    expect(accuracies).toEqual([
      ['always answer', 8, 0.5],
      ["the paper's hard gate", 8, 0],
      ['the same, by its numbers alone', 8, 0.5],
      ['layer scope', 8, 1],
      ['all layers', 8, 1],
      ['thresholds without layers', 8, 0.5],
      ['thresholds behind all layers', 8, 0.5],
      ['thresholds, of the type asked for', 8, 0.5],
      ['I(q) as printed', 8, 0.5],
    ]);
  });

  it('can be read', () => {
    const text = renderSet(report);
    expect(text).toContain('== test: made up');
    expect(text).toContain('8 queries of 4 groups: ANSWER 4, ASK 0, ABSTAIN 4');
    expect(text).toMatch(
      /layer scope +1\.000 \[1\.000, 1\.000\] +1\.000 \[1\.000, 1\.000\] +1\.000 1\.000 1\.000/,
    );
  });

  it('tells single turns from later ones', () => {
    const history = [{ role: 'user' as const, text: 'Before?' }];
    const later = set.queries.map((one, place) => (place % 2 === 1 ? { ...one, history } : one));
    const { turns } = reportOn({ ...set, queries: later }, [])!;
    expect(turns!.n).toEqual({ single: 4, later: 4 });
    const always = turns!.rows.find(({ policy }) => policy === 'always answer')!;
    expect([always.single.value, always.later.value]).toEqual([1, 0]);
    expect(report.turns).toBeNull();
    expect(renderSet(reportOn({ ...set, queries: later }, [])!)).toContain('4 single turns, 4 later ones');
  });

  it('is a page', () => {
    const lines = decisionsInFull([report]).split('\n');
    expect(lines).toContain('## test');
    expect(lines).toContain('Made up. 8 queries of 4 groups: ANSWER 4, ASK 0, ABSTAIN 4.');
    const rows = lines.filter((line) => line.startsWith('|')).map((line) => line.split(' | '));
    expect(rows).toHaveLength(2 + report.rows.length);
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([11]));
    expect(rows.find(([policy]) => policy === '| layer scope')).toEqual([
      '| layer scope',
      '1.000',
      '1.000',
      '1.000',
      '1.000',
      '–',
      '–',
      '1.000',
      '1.000',
      '0.000',
      '– |',
    ]);
  });

  it('has nothing to say of a set that is all for tuning', () => {
    const tuning = { ...set, queries: set.queries.map((one) => ({ ...one, half: 'tune' as const })) };
    expect(reportOn(tuning, [])).toBeNull();
  });
});
