import { describe, expect, it } from 'vitest';
import { DEFAULT_UTILITIES } from '../../router/index.ts';
import type { MeasuredSet } from '../decisions/planners.ts';
import { cautionOf, FIXED, fittedContenders } from './contenders.ts';
import { type Fits, fitWithout } from './fits.ts';
import { carryOverMarkdown, renderCarryOver } from './render.ts';
import { BAR, type Report, reportOn, type SetReport, totalsOf } from './report.ts';
import { measuredSet } from './testing/sets.ts';

const SETS: MeasuredSet[] = [
  measuredSet({ name: 'mostly-answers', due: [80, 10, 10], fused: 0.3 }),
  measuredSet({ name: 'even', due: [34, 33, 33], fused: 0.3 }),
  measuredSet({ name: 'mostly-silence', due: [10, 20, 70], fused: -0.3 }),
  measuredSet({ name: 'mix-open', due: [30, 30, 40], sources: ['even', 'mostly-silence'] }),
  measuredSet({ name: 'answers-only', due: [100, 0, 0] }),
];

describe('what is fitted without a set', () => {
  it('has seen nothing of its sources, nor of what is made of several', () => {
    const without = (...sources: string[]) => fitWithout(SETS, sources)!.sets;
    expect(without('even')).toEqual(['mostly-answers', 'mostly-silence', 'answers-only']);
    expect(without('even', 'mostly-silence')).toEqual(['mostly-answers', 'answers-only']);
    expect(fitWithout(SETS, ['even', 'mostly-silence', 'mostly-answers'])).toBeNull();
    const fits = fitWithout(SETS, ['even'])!;
    expect(fits.rows).toBe(300);
    expect(fits.prior.ANSWER).toBeCloseTo((0.8 + 0.1 + 1) / 3, 9);
  });

  it('hangs on no label of what is left out', () => {
    const relabelled = SETS.map((set) =>
      set.name === 'even'
        ? { ...set, queries: set.queries.map((query) => ({ ...query, action: 'ASK' as const })) }
        : set,
    );
    const of = (sets: readonly MeasuredSet[]) => {
      const { pooled, stable, bars } = fitWithout(sets, ['even'])!;
      return [pooled.hash, stable.model.hash, bars];
    };
    expect(of(relabelled)).toEqual(of(SETS));
  });

  it('leaves out features that turn', () => {
    const { stable, intercepts } = fitWithout(SETS, ['even'])!;
    expect(stable.report.signs.turned.map(({ feature }) => feature)).toContain('fused');
    expect(stable.model.linear.map(({ feature }) => feature)).not.toContain('fused');
    expect(intercepts.linear.map(({ feature }) => feature)).toContain('fused');
  });
});

describe('contenders', () => {
  const fits = fitWithout(SETS, ['even'])!;
  const [facts] = SETS[1]!.facts;
  const of = (stream = SETS[1]!.facts) => fittedContenders(fits, stream, DEFAULT_UTILITIES);

  it('heed what is final, and answer nothing that stands nowhere', () => {
    const decided = Object.entries(of()).map(([name, { decide }]) => {
      return [name, decide({ ...facts!, final: 'ASK' })];
    });
    expect(decided).toEqual(Object.keys(of()).map((name) => [name, 'ASK']));
    const nowhere = { ...facts!, answerable: false, reach: { span: false, passage: false } };
    for (const { decide } of Object.values(of())) expect(decide(nowhere)).not.toBe('ANSWER');
    expect(FIXED['hard gate']!({ ...facts!, final: 'ABSTAIN' })).toBe('ABSTAIN');
  });

  it('estimate a prior from the stream alone', () => {
    const prior = (set: MeasuredSet) => of(set.facts)['same signs, prior estimated']!.prior!;
    const [many, few] = [prior(SETS[0]!), prior(SETS[2]!)];
    expect(many.ANSWER).toBeGreaterThan(0.6);
    expect(few.ABSTAIN).toBeGreaterThan(0.5);
    expect(of([])['same signs, prior estimated']!.prior!.ASK).toBeCloseTo(1 / 3, 9);
  });

  it('answer less where a wrong answer costs more', () => {
    const answers = (wrong: number) => {
      const all = fittedContenders(fits, [], { wrong, question: 1, silence: 1 });
      return ['thresholds, fitted', 'planner, same signs'].map(
        (name) => SETS[1]!.facts.filter((each) => all[name]!.decide(each) === 'ANSWER').length,
      );
    };
    const [cheap, dear] = [answers(0.25), answers(4)];
    expect(dear[0]).toBeLessThan(cheap[0]!);
    expect(dear[1]).toBeLessThan(cheap[1]!);
    expect([cautionOf({ wrong: 1, silence: 1 }), cautionOf({ wrong: 9, silence: 1 })]).toEqual([0.5, 1]);
    expect(cautionOf({ wrong: 1, silence: 0 })).toBe(1);
  });
});

describe('the report', async () => {
  const said: string[] = [];
  const { report, all } = await reportOn(SETS, DEFAULT_UTILITIES, { say: (line) => said.push(line) });
  const setNamed = (name: string): SetReport => report.sets.find(({ set }) => set === name)!;

  it('is of the half that nothing is fitted on, and of a set without one as a whole', async () => {
    expect(setNamed('even').n).toBe(100);
    const tuneOnly = {
      ...SETS[1]!,
      queries: SETS[1]!.queries.map((query) => ({ ...query, half: 'tune' as const })),
    };
    const { report: other } = await reportOn([SETS[0]!, tuneOnly, SETS[2]!], DEFAULT_UTILITIES, {
      say: () => {},
    });
    expect(other.sets.map(({ n }) => n)).toEqual([100, 200, 100]);
    expect(said).toContain('fitting without even …');
  });

  it('counts what is in it', () => {
    const row = (set: string, contender: string) =>
      setNamed(set).rows.find((each) => each.contender === contender)!;
    expect(row('even', 'always answer')).toMatchObject({
      fixed: true,
      abstainRecall: 0,
      answeredInVain: 0.66,
    });
    // F1 of ANSWER is 2 * 34 / 134, of the others 0.
    expect(row('even', 'always answer').macroF1.value).toBeCloseTo(68 / 134 / 3, 9);
    expect(row('even', 'planner, same signs').macroF1.value!).toBeGreaterThan(0.7);
    expect(row('answers-only', 'always answer').abstainRecall).toBeNull();
    expect(setNamed('answers-only').best).toBeNull();
    expect(setNamed('even').best!.contender).toBe('relevance alone');
    expect(all!.fitted.prior).toEqual({ ANSWER: 1 / 3, ASK: 1 / 3, ABSTAIN: 1 / 3 });
  });

  it('holds every contender to the best fixed one, on every set with two actions', () => {
    for (const { contender, least, sets, macroF1 } of report.totals) {
      const own = report.sets
        .filter(({ best }) => best !== null)
        .map(({ rows, best }) => ({ row: rows.find((each) => each.contender === contender)!, best: best! }));
      expect(sets).toBe(4);
      const values = own.map(({ row }) => row.macroF1.value!);
      expect(macroF1.value).toBeCloseTo(values.reduce((sum, each) => sum + each, 0) / 4, 9);
      expect(least!.margin).toBeCloseTo(Math.min(...own.map(({ best }, i) => values[i]! - best.macroF1)), 9);
    }
  });

  it('says whether the bar is met', async () => {
    const open = setNamed('mix-open');
    const judged = (macroF1: number, abstainRecall: number, other: number) => {
      const rows = open.rows.map((row) => ({
        ...row,
        macroF1: { value: row.contender === 'x' ? macroF1 : 0.5, interval: null },
        abstainRecall,
      }));
      const x = { ...rows[0]!, contender: 'x', fixed: false };
      const sets: SetReport[] = [
        {
          ...open,
          rows: [...rows, { ...x, macroF1: { value: macroF1, interval: null } }],
          best: { contender: 'a', macroF1: 0.5 },
        },
        {
          ...setNamed('even'),
          rows: [{ ...x, macroF1: { value: other, interval: null } }],
          best: { contender: 'a', macroF1: 0.52 },
        },
      ];
      return totalsOf(sets).find(({ contender }) => contender === 'x')!.passes;
    };
    const { macroF1, abstainRecall } = BAR.open;
    expect(judged(macroF1, abstainRecall, 0.52 + BAR.margin)).toBe(true);
    expect(judged(macroF1 - 0.01, abstainRecall, 0.6)).toBe(false);
    expect(judged(macroF1, abstainRecall - 0.01, 0.6)).toBe(false);
    expect(judged(0.7, abstainRecall, 0.49)).toBe(false);
    expect(judged(macroF1, abstainRecall, 0.501)).toBe(true);
    const { report: closed } = await reportOn(SETS.slice(0, 3), DEFAULT_UTILITIES, { say: () => {} });
    expect(closed.totals.every(({ passes }) => passes === null)).toBe(true);
  });

  it('can be read, and be a part of a page', () => {
    const text = renderCarryOver(report);
    expect(text).toContain('== even: made up: even');
    expect(text).toContain('fused (ANSWER rather than');
    const page = carryOverMarkdown(JSON.parse(JSON.stringify(report)) as Report);
    expect(page.indexOf('**Each set left out once')).toBe(0);
    expect(page).toMatch(/^\| even \| 100 \| relevance alone 0\.\d{3} \|/m);
    expect(page).toContain('| answers-only | 100 | (one action) |');
  });

  it('takes fits that are kept, and fits anew only what was measured otherwise', async () => {
    const kept = new Map<string, Fits>();
    const store = {
      get: (id: string) => kept.get(id),
      add: async (fits: Fits) => void kept.set(fits.id, fits),
    };
    const some = SETS.slice(0, 3);
    const lines = async (sets: readonly MeasuredSet[]) => {
      const heard: string[] = [];
      await reportOn(sets, DEFAULT_UTILITIES, { say: (line) => heard.push(line), kept: store });
      return heard;
    };
    expect(await lines(some)).toHaveLength(3);
    expect(await lines(some)).toEqual([]);
    // Only where the set that changed is not the one left out.
    const [first, ...rest] = some;
    const changed = {
      ...first!,
      queries: first!.queries.map((query) => ({ ...query, action: 'ANSWER' as const })),
    };
    expect(await lines([changed, ...rest])).toEqual([
      'fitting without even …',
      'fitting without mostly-silence …',
    ]);
  });

  it('is of what there is where nothing can be fitted', async () => {
    const one = await reportOn([SETS[4]!], DEFAULT_UTILITIES, { say: () => {} });
    expect(one.all).toBeNull();
    expect(one.report.sets[0]!.rows).toHaveLength(Object.keys(FIXED).length);
    expect(renderCarryOver(one.report)).toContain('Too little is left to fit anything on.');
  });
});
