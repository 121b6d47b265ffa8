import { describe, expect, it } from 'vitest';
import { lowerBound } from './beta.ts';
import { type Request, resolveFrom } from './resolve.ts';
import { leavesOf } from './strata.ts';
import { tally } from './tally.ts';
import { cast, DAY, NOW, SETTINGS, type VoteSpec } from './testing/votes.ts';
import { DefaultSettings, DefaultUse } from './types.ts';

const yes = () => true;

function resolved(
  said: VoteSpec[],
  request: Partial<Request> & { when?: Record<string, string> } = {},
  now = NOW,
) {
  const { when = {}, ...rest } = request;
  const conditions = Object.entries(when).sort(([a], [b]) => (a < b ? -1 : 1));
  const whole = { tenant: 't', field: 'page', scope: 'contract', ...rest, conditions };
  const use = resolveFrom(cast(...said), whole, SETTINGS, now, yes);
  DefaultUse.parse(use);
  return use;
}

describe('votes', () => {
  it('weigh half after a half-life, and nothing is forgotten where there is none', () => {
    const votes = cast({ value: 'a', times: 4, daysAgo: 180 }, { value: 'b', daysAgo: 360 });
    const counted = tally(votes, SETTINGS, NOW);
    expect(counted.candidates.map((c) => [c.value, c.for])).toEqual([
      ['a', 2],
      ['b', 0.25],
    ]);
    expect(counted.confidence).toBeCloseTo(lowerBound(2, 0.25, SETTINGS.level), 12);
    const never = tally(votes, { ...SETTINGS, halfLifeDays: null }, NOW);
    expect(never.candidates.map((c) => c.for)).toEqual([4, 1]);
  });

  it('of one value are those that differ in case, width and spacing; the newest spelling stands', () => {
    const counted = tally(
      cast({ value: 'Page  1' }, { value: 'PAGE 1' }, { value: 'Ｐage 1' }),
      SETTINGS,
      NOW,
    );
    expect(counted.candidates).toMatchObject([{ value: 'Ｐage 1', for: 3 }]);
  });

  it('against a value lower its confidence and are no votes for another', () => {
    const votes = cast({ value: 'a', times: 5 }, { value: 'a', signal: 'explicit_no' });
    const counted = tally(votes, SETTINGS, NOW);
    expect(counted.candidates).toEqual([{ value: 'a', docId: null, for: 5, against: 1 }]);
    expect(counted.confidence).toBeCloseTo(lowerBound(5, 1, SETTINGS.level), 12);
  });

  it('by silence add at most what users said, however many there are', () => {
    const of = (silent: number) =>
      tally(
        cast({ value: 'a', times: 3 }, { value: 'a', signal: 'implicit_ok', times: silent }),
        SETTINGS,
        NOW,
      ).candidates[0]!.for;
    expect([of(0), of(2), of(6), of(1000)]).toEqual([3, 4, 6, 6]);
    const only = tally(cast({ value: 'a', signal: 'implicit_ok', times: 50 }), SETTINGS, NOW);
    expect(only).toMatchObject({ top: null, confidence: 0 });
  });

  it('that failed are counted and weigh nothing', () => {
    const counted = tally(
      cast({ value: 'a', times: 5 }, { value: 'a', signal: 'failure', times: 3 }),
      SETTINGS,
      NOW,
    );
    expect(counted).toMatchObject({ sampleSize: 5, failures: 3 });
    expect(counted.confidence).toBeCloseTo(lowerBound(5, 0, SETTINGS.level), 12);
  });
});

describe('the gate', () => {
  it('asks below .60, proposes up to .85 and applies above', () => {
    const outcomes = Array.from({ length: 12 }, (_, n) => resolved([{ value: 'a', times: n }]));
    for (const use of outcomes) {
      const { confidence } = use.default;
      const expected = confidence > 0.85 ? 'APPLIED' : confidence < 0.6 ? 'ASKED' : 'SUGGESTED';
      expect(use.outcome).toBe(expected);
      expect(use.used).toBe(expected === 'APPLIED' ? 'a' : null);
    }
    expect(outcomes.map((use) => use.outcome[0]).join('')).toBe('AASSSAAAAAAA');
  });

  it('never opens where users disagree', () => {
    for (let n = 1; n < 50; n += 7) {
      const said = Array.from({ length: 4 * n }, (_, i) => ({ value: i % 4 === 1 ? 'b' : 'a' }));
      expect(resolved(said).outcome).not.toBe('APPLIED');
    }
  });

  it('closes again when nobody has voted for long, and when users begin to object', () => {
    expect(resolved([{ value: 'a', times: 12 }]).outcome).toBe('APPLIED');
    expect(resolved([{ value: 'a', times: 12, daysAgo: 360 }]).outcome).toBe('SUGGESTED');
    expect(resolved([{ value: 'a', times: 12, daysAgo: 720 }]).outcome).toBe('ASKED');
    const objected = resolved([
      { value: 'a', times: 12 },
      { value: 'a', signal: 'explicit_no' },
      { value: 'b' },
    ]);
    expect(objected.outcome).toBe('SUGGESTED');
  });
});

describe('strata', () => {
  const body = { page_1_kind: 'body', weekday: 'Mon' };
  const cover = { page_1_kind: 'coversheet', weekday: 'Mon' };
  const history: VoteSpec[] = [
    { value: 'page 1', when: body, times: 12 },
    { value: 'page 1', signal: 'failure', when: cover },
    { value: 'TOC', when: cover },
    { value: 'page 1', signal: 'failure', when: { ...cover, weekday: 'Tue' } },
    { value: 'TOC', when: { ...cover, weekday: 'Tue' }, times: 9 },
  ];

  it('come from failures: the default of one kind of page is not that of another', () => {
    expect(resolved(history, { when: body })).toMatchObject({ outcome: 'APPLIED', used: 'page 1' });
    const toc = resolved(history, { when: cover });
    expect(toc).toMatchObject({ outcome: 'APPLIED', used: 'TOC' });
    expect(toc.default.conditions).toEqual([['page_1_kind', 'coversheet']]);
    expect(resolved(history, { when: { page_1_kind: 'index' } })).toMatchObject({
      outcome: 'ASKED',
      reason: 'UNKNOWN',
    });
    expect(resolved(history)).toMatchObject({
      outcome: 'ASKED',
      default: { conditions: [['page_1_kind', null]] },
    });
  });

  it('are not made without failures or disagreement, nor by a condition that tells nothing', () => {
    const calm = cast({ value: 'a', when: body, times: 20 }, { value: 'a', when: cover, times: 20 });
    expect(leavesOf(calm, SETTINGS, NOW).map((leaf) => leaf.stratum)).toEqual([[]]);
    const mixed = Array.from({ length: 60 }, (_, i) => ({
      value: i % 3 === 0 ? 'a' : 'b',
      when: { weekday: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'][i % 5]! },
    }));
    expect(leavesOf(cast(...mixed), SETTINGS, NOW)).toHaveLength(1);
  });

  it('hold every vote exactly once', () => {
    const votes = cast(...history);
    const ids = leavesOf(votes, { ...SETTINGS, changes: false }, NOW).flatMap((leaf) =>
      leaf.votes.map((vote) => vote.id),
    );
    expect(ids.sort((a, b) => a - b)).toEqual(votes.map((vote) => vote.id));
  });

  it('go as deep as the settings say', () => {
    const settings = DefaultSettings.parse({ split: { depth: 0 } });
    expect(leavesOf(cast(...history), settings, NOW)).toHaveLength(1);
  });

  it('are found for conditions with the names of properties', () => {
    const odd = (value: string) =>
      JSON.parse(`{"__proto__":"${value}","constructor":"x"}`) as Record<string, string>;
    const votes: VoteSpec[] = [
      { value: 'a', when: odd('1'), times: 10 },
      { value: 'b', when: odd('2'), times: 10 },
    ];
    expect(resolved(votes, { when: odd('2') })).toMatchObject({
      used: 'b',
      default: { conditions: [['__proto__', '2']] },
    });
  });
});

describe('a change of mind', () => {
  const before: VoteSpec = { value: 'a', times: 30, daysAgo: 40 };
  const outcomeAfter = (votes: number, settings = SETTINGS) =>
    resolveFrom(
      cast(before, { value: 'b', times: votes, daysAgo: 1 }),
      { tenant: 't', field: 'f', scope: '', conditions: [] },
      settings,
      NOW,
      yes,
    );

  it('is seen after a few votes, and what was before no longer counts', () => {
    const outcomes = Array.from({ length: 12 }, (_, n) => outcomeAfter(n));
    expect(outcomes[0]).toMatchObject({ outcome: 'APPLIED', used: 'a' });
    const first = outcomes.findIndex((use) => use.used === 'b');
    expect(first).toBeGreaterThanOrEqual(4);
    expect(first).toBeLessThanOrEqual(6);
    for (const use of outcomes.slice(first))
      expect(use).toMatchObject({ used: 'b', default: { field: 'f' } });
    expect(outcomeAfter(11, { ...SETTINGS, changes: false })).toMatchObject({
      used: null,
      default: { value: 'a' },
    });
  });

  it('is not seen in the noise of users who differ all the time', () => {
    const mixed = Array.from({ length: 80 }, (_, i) => ({ value: i % 4 === 3 ? 'b' : 'a' }));
    expect(leavesOf(cast(...mixed), SETTINGS, NOW)[0]!.votes).toHaveLength(80);
  });
});

describe('a default is not applied', () => {
  const known: VoteSpec[] = [{ value: 'Terms 2025', docId: 'terms-2025', times: 12 }];
  const ask = (exists: () => boolean, overrule?: Request['overrule']) =>
    resolveFrom(
      cast(...known),
      { tenant: 't', field: 'document', scope: '', conditions: [], overrule },
      SETTINGS,
      NOW,
      exists,
    );

  it('when its document is gone, and says so', () => {
    expect(ask(yes)).toMatchObject({ outcome: 'APPLIED', used: 'Terms 2025' });
    const gone = ask(() => false);
    expect(gone).toMatchObject({ outcome: 'ASKED', reason: 'DOCUMENT_GONE', used: null });
    expect(gone.sentence).toContain('terms-2025');
  });

  it('when it is not possible for this query', () => {
    const use = resolved([{ value: 'a', times: 12 }], { candidates: ['b', 'c'] });
    expect(use).toMatchObject({ outcome: 'ASKED', reason: 'NOT_A_CANDIDATE', used: null });
    expect(resolved([{ value: 'a', times: 12 }], { candidates: ['A', 'b'] }).outcome).toBe('APPLIED');
  });

  it('where it failed under the very same conditions, until somebody names it there again', () => {
    const failed: VoteSpec[] = [
      { value: 'a', when: { k: '1' }, times: 12 },
      { value: 'a', when: { k: '1' }, signal: 'failure' },
    ];
    expect(resolved(failed, { when: { k: '1' } })).toMatchObject({ outcome: 'ASKED', reason: 'FAILED_HERE' });
    expect(resolved(failed, { when: { k: '2' } }).outcome).toBe('APPLIED');
    expect(resolved([...failed, { value: 'a', when: { k: '1' } }], { when: { k: '1' } }).outcome).toBe(
      'APPLIED',
    );
  });

  it('when the query says so, and the record names what was overruled', () => {
    expect(ask(yes, false)).toMatchObject({
      outcome: 'OVERRULED',
      used: null,
      default: { value: 'Terms 2025' },
    });
    expect(ask(yes, { document: null })).toMatchObject({ outcome: 'OVERRULED', used: null });
    expect(ask(yes, { document: 'Terms 2024' })).toMatchObject({ outcome: 'OVERRULED', used: 'Terms 2024' });
    expect(ask(yes, { other: 'x' })).toMatchObject({ outcome: 'APPLIED' });
    expect(ask(yes, { constructor: 'x' } as never)).toMatchObject({ outcome: 'APPLIED' });
  });
});

describe('the record', () => {
  it('says all that the outcome depends on: the same votes, moment and settings give the same bytes', () => {
    const votes = cast(
      { value: 'a', times: 12 },
      { value: 'b', times: 2 },
      { value: 'a', signal: 'implicit_ok' },
    );
    const request = { tenant: 't', field: 'f', scope: '', conditions: [] };
    const then = resolveFrom(votes.slice(0, 12), request, SETTINGS, NOW, yes);
    expect(then).toMatchObject({ outcome: 'APPLIED', asOf: 12, at: new Date(NOW).toISOString() });
    const again = resolveFrom(
      votes.filter((vote) => vote.id <= then.asOf),
      request,
      SETTINGS,
      NOW,
      yes,
    );
    expect(JSON.stringify(again)).toBe(JSON.stringify(then));
    expect(resolveFrom(votes, request, SETTINGS, NOW + DAY, yes).asOf).toBe(15);
  });
});
