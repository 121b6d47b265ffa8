import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import {
  type Action,
  DEFAULT_UTILITIES,
  type PlannerFeatures,
  plan,
  readPlanner,
} from '../../router/index.ts';
import { failed, observations } from '../artifact/testing/observations.ts';
import { documentsAmong } from '../splits/documents.ts';
import type { Observation } from '../types.ts';
import { byPlanner, compared } from './compared.ts';
import { checkLabels, plannerFrom } from './from-observations.ts';
import { NOTHING } from './testing/features.ts';

const ACTIONS: readonly Action[] = ['ANSWER', 'ASK', 'ABSTAIN'];

/** What E and the open conditions are of, nearly always: separable, but for one query in twenty. */
function world(n: number, seed: number, actions = ACTIONS): Observation[] {
  const random = seededRandom(seed);
  return observations(n, { seed }).map((each, i) => {
    const action = actions[i % actions.length]!;
    const shown = random() < 0.05 ? actions[(i + 1) % actions.length]! : action;
    return {
      ...each,
      example: { ...each.example, action },
      planning: {
        ...NOTHING,
        E: shown === 'ANSWER' ? 0.7 + 0.3 * random() : 0.4 * random(),
        openConditions: Number(shown === 'ASK'),
      },
      candidate: { ...each.candidate!, claim: 'It is yes.' },
    };
  });
}

const documentsOf = (all: readonly Observation[]) => documentsAmong(all.map(({ example }) => example));
const fitOn = (all: readonly Observation[]) => plannerFrom(all, documentsOf(all), { seed: 1 });

describe('a planner from what was measured', () => {
  const tune = world(300, 1);
  const { model, planned, leftOut } = fitOn(tune);

  it('is a file that reads, and decides new queries rightly', () => {
    const read = readPlanner(JSON.stringify(model), 'own');
    expect(read.fitted).toMatchObject({
      rows: 300,
      groups: 30,
      actions: { ANSWER: 100, ASK: 100, ABSTAIN: 100 },
    });
    const test = world(200, 2);
    const policy = byPlanner(read, read.utilities);
    const right = test.filter((each) => policy(each) === each.example.action).length;
    // One in twenty shows itself as another.
    expect(right / test.length).toBeGreaterThan(0.88);
    const [own, , , always] = compared(test, documentsOf(test), { own: read, shipped: read });
    expect(own!.figures.accuracy.value).toBe(right / test.length);
    expect(always!.figures.accuracy.value).toBeCloseTo(1 / 3, 1);
  });

  it('plans its own queries by models that did not see their documents', () => {
    expect(leftOut).toEqual({ final: 0, failed: 0, unmeasured: 0 });
    for (const [i, each] of planned.entries()) {
      expect({ ...each, planned: undefined }).toEqual({ ...tune[i], planned: undefined });
    }
    // Only this document has a history, and all of it is to be asked: whoever saw it knows, nobody else can.
    const strange = tune.map(
      (each, i): Observation =>
        i >= 40
          ? { ...each, planning: { ...each.planning, turns: 0 } }
          : {
              ...each,
              planning: { ...each.planning, turns: 9 },
              example: { ...each.example, group: 'strange', action: 'ASK' },
            },
    );
    const made = fitOn(strange);
    const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    const own = strange.slice(0, 40).map(({ planning }) => plan(made.model, planning as PlannerFeatures).ASK);
    expect(mean(own)).toBeGreaterThan(0.8);
    expect(mean(made.planned.slice(0, 40).map(({ planned: p }) => p!.ASK))).toBeLessThan(0.6);
  });

  it('learns nothing from what is settled, failed or was not measured, and counts it', () => {
    const odd = world(40, 3).map((each, i): Observation => {
      if (i < 10) return { ...each, closed: 'UNKNOWN_IDENTIFIER' };
      if (i < 20) return { ...each, defined: true };
      return i < 30 ? failed(each) : { ...each, planning: null };
    });
    const made = fitOn([...tune, ...odd]);
    expect(made.leftOut).toEqual({ final: 20, failed: 10, unmeasured: 10 });
    expect(made.model).toEqual(model);
    expect(made.planned.slice(300).every(({ planned: p }) => p === null)).toBe(true);
  });

  it('keeps what ties of documents hold together in one fold', () => {
    // Every document twice, under two names: as independent rows each copy would tell of the other.
    const copies = tune.map((each) => ({
      ...each,
      example: { ...each.example, id: `${each.example.id} again`, group: `${each.example.group} again` },
    }));
    const both = [...tune, ...copies];
    expect(fitOn(both).report).toMatchObject({ rows: 600, groups: 30 });
  });
});

describe('too little to fit on', () => {
  const labels = (...counts: [Action, queries: number, documents: number][]) =>
    counts.flatMap(([action, n, documents]) =>
      Array.from({ length: n }, (_, i) => ({
        id: `${action} ${i}`,
        query: `${action} ${i}?`,
        action,
        group: `${action} ${i % documents}`,
      })),
    );
  const check = (...counts: Parameters<typeof labels>) => {
    const examples = labels(...counts);
    return checkLabels(examples, documentsAmong(examples));
  };

  it('is told with what there is and what is needed', () => {
    expect(() => check(['ANSWER', 20, 5], ['ABSTAIN', 20, 5])).not.toThrow();
    for (const few of [
      ['ASK', 19, 19],
      ['ASK', 30, 4],
    ] as const)
      expect(() => check(['ANSWER', 20, 5], [...few])).toThrow(
        expect.objectContaining({
          code: 'INVALID_INPUT',
          message:
            'A planner needs at least 20 queries of 5 documents for each action that occurs; of the part to fit on there ' +
            `are: ANSWER 20 (5 documents), ASK ${few[1]} (${few[2]} documents).`,
          hint: expect.stringContaining('Label more queries'),
        }),
      );
  });

  it('is one action, however often, and none at all', () => {
    expect(() => check(['ANSWER', 200, 50])).toThrow('two actions to tell apart');
    expect(() => check()).toThrow('there are: none');
  });

  it('is also what is left of enough labels', () => {
    const all = world(90, 4).map((each, i) => (i % 3 === 1 && i > 9 ? failed(each) : each));
    expect(() => fitOn(all)).toThrow(/that were measured there are: ANSWER 30 .* ASK 3 /);
  });
});

describe('what a planner does with an observation', () => {
  const answering = fitOn(world(300, 1)).model;
  const [first] = world(1, 5);
  const policy = byPlanner(answering, DEFAULT_UTILITIES);

  it('is what the router would do', () => {
    expect(policy(first!)).toBe('ANSWER');
    expect(policy({ ...first!, candidate: null })).not.toBe('ANSWER');
    expect(policy({ ...first!, candidate: { ...first!.candidate!, claim: ' ' } })).not.toBe('ANSWER');
    // Closed by thresholds, weighed anew by a planner; unless it would be wrong at any probability.
    expect(policy({ ...first!, closed: 'UNCERTAIN' })).toBe('ANSWER');
    expect(policy({ ...first!, closed: 'UNKNOWN_IDENTIFIER', asks: true })).toBe('ASK');
    expect(policy({ ...first!, closed: 'NO_RESULTS', planning: null })).toBe('ABSTAIN');
    expect(policy({ ...first!, defined: true, planning: null })).toBe('ANSWER');
    expect(policy(failed(first!))).toBeNull();
  });

  it('weighs what mistakes cost', () => {
    expect(byPlanner(answering, { wrong: 1_000, question: 1_000, silence: 0.001 })(first!)).toBe('ABSTAIN');
  });
});
