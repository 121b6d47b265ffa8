import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import { Monitor, type MonitorSettings } from './monitor.ts';
import type { Baseline, Counts } from './plan.ts';
import { Decided, type Label, MonitorState } from './records.ts';
import { type Documents, type Rates, simulate } from './simulate.ts';
import { monitorValidity } from './validity.ts';

const counts = (n: number, answered: number, wrong: number): Counts => ({
  n,
  answered,
  judged: answered,
  wrong,
  promisedRisk: null,
  byDocument: null,
});
const baseline: Baseline = {
  hash: 'now',
  all: counts(1_000, 700, 70),
  acts: { FACT: counts(600, 500, 40), QUANTITY: counts(400, 200, 30) },
};
const settings: MonitorSettings = {
  alpha: { text: '0.05', value: 0.05 },
  least: 30,
  slack: 0,
  remember: 100,
};
const monitorOf = (change: Partial<MonitorSettings> = {}, state?: MonitorState) =>
  new Monitor(
    baseline,
    { ...settings, ...change },
    (_, { answers }) => (answers ? !answers.includes('x') : null),
    state,
  );

const decision = (id: string, answered: boolean, change: object = {}): Decided =>
  Decided.parse({
    schema: 'pragaura.decision/4',
    id,
    query: '',
    action: answered ? 'ANSWER' : 'ABSTAIN',
    act: { label: 'FACT' },
    ...(answered
      ? {
          answer: {
            form: 'span' as const,
            text: 'x',
            verdict: null,
            quotes: [{ text: 'x', docId: 'd', passageId: 'd#0' }],
          },
        }
      : {}),
    guarantee: { status: 'CALIBRATED', sentence: 'A promise.' },
    versions: { calibration: 'now' },
    ...change,
  });
/** Of a query that follows another one. */
const followUp = {
  guarantee: { status: 'RESTRICTED', sentence: 'RESTRICTED: this query has a history, …' },
};
const label = (id: string, rest: Partial<Label> = { correct: true }): Label => ({ id, ...rest });

describe('the alarms', () => {
  it('come once, for what drifted, when nothing is answered any more', () => {
    const monitor = monitorOf();
    const alarms = Array.from({ length: 300 }, (_, i) => monitor.decided(decision(`${i}`, false))).flat();
    expect(alarms.map(({ watch }) => [watch!.act, watch!.figure, watch!.direction])).toEqual([
      ['FACT', 'coverage', 'down'],
      [null, 'coverage', 'down'],
    ]);
    expect(alarms[0]).toMatchObject({
      calibration: 'now',
      alpha: '0.05',
      sentence: expect.stringMatching(/fallen below .*500 of 600, 83\.3 %.* 0\.0 % of \d+ in all/),
    });
    expect(monitor.status(true).alarms).toBe(2);
  });

  it('come when everything is answered, and when answers are wrong', () => {
    const more = monitorOf();
    const risen = Array.from({ length: 500 }, (_, i) => more.decided(decision(`${i}`, true))).flat();
    expect(risen.some(({ watch }) => watch?.figure === 'coverage' && watch.direction === 'up')).toBe(true);
    const wrong = monitorOf();
    const alarms = Array.from({ length: 60 }, (_, i) => {
      wrong.decided(decision(`${i}`, true));
      return wrong.labelled(label(`${i}`, { correct: false }));
    }).flat();
    expect(alarms[0]!.watch).toMatchObject({ figure: 'risk', direction: 'up', mean: 1 });
  });

  it('do not come when answers are all right: less risk is no drift to be told of', () => {
    const monitor = monitorOf();
    const alarms = Array.from({ length: 2_000 }, (_, i) => {
      const raised = monitor.decided(decision(`${i}`, i % 6 !== 0));
      return [...raised, ...monitor.labelled(label(`${i}`))];
    }).flat();
    expect(alarms.filter(({ watch }) => watch?.figure === 'risk')).toEqual([]);
  });

  it('come from all watches together where each alone has too little', () => {
    // All queries are of one act: two watches gather the same evidence, and a bit more than half each is enough.
    const all = counts(1_000, 500, 50);
    const monitor = new Monitor({ hash: 'now', all, acts: { FACT: all } }, settings, () => null);
    const alarms = Array.from({ length: 1_000 }, (_, i) =>
      monitor.decided(decision(`${i}`, i % 3 > 0)),
    ).flat();
    expect(alarms[0]).toMatchObject({ watch: null, sentence: expect.stringContaining('together') });
    expect(alarms).toHaveLength(3);
    expect(monitor.status(false)).toMatchObject({ alarms: 3, mean: { alarm: true, threshold: 40 } });
  });
});

describe('what is not looked at', () => {
  it('is counted and told apart', () => {
    const monitor = monitorOf();
    monitor.decided(
      decision('a', true, {
        guarantee: { status: 'NOT_CALIBRATED', sentence: '' },
        versions: { calibration: null },
      }),
    );
    monitor.decided(decision('b', true, { versions: { calibration: 'before' } }));
    monitor.decided(decision('c', true));
    monitor.decided(decision('c', true));
    monitor.failed();
    const { tally, watches } = monitor.status(true);
    expect(tally).toMatchObject({
      decisions: 1,
      answered: 1,
      notCalibrated: 1,
      otherCalibration: 1,
      repeated: 1,
      failed: 1,
    });
    expect(watches[0]!.n).toBe(1);
  });

  it('is not a decision of an act without a threshold: the test split counted those too', () => {
    const monitor = monitorOf();
    const guarantee = { status: 'NOT_CALIBRATED', sentence: 'NOT_CALIBRATED: no threshold reaches 80 %.' };
    monitor.decided(decision('a', false, { guarantee }));
    const { tally, watches } = monitor.status(true);
    expect(tally).toMatchObject({ decisions: 1, notCalibrated: 0, restricted: 0 });
    expect(watches.filter(({ act, n }) => act === null && n === 1)).toHaveLength(2);
  });

  it('is a decision about a query with a history or the like, and its label', () => {
    const [without, among] = [monitorOf(), monitorOf()];
    for (let i = 0; i < 60; i++) {
      for (const monitor of [without, among]) {
        monitor.decided(decision(`${i}`, i % 6 > 0));
        monitor.labelled(label(`${i}`));
      }
      among.labelled(label(`early ${i}`, { correct: false }));
      among.decided(decision(`early ${i}`, true, followUp));
      among.decided(decision(`late ${i}`, false, followUp));
      among.labelled(label(`late ${i}`));
    }
    among.decided(decision('late 59', false, followUp));
    const [plain, status] = [without.status(true), among.status(true)];
    expect(status.watches).toEqual(plain.watches);
    expect(status.tally).toEqual({
      ...plain.tally,
      restricted: 120,
      restrictedLabels: 120,
      labels: 180,
      repeated: 1,
    });
    expect(status.waiting).toEqual(plain.waiting);
  });

  it('are labels that judge no answer', () => {
    const monitor = monitorOf();
    monitor.decided(decision('silent', false));
    monitor.decided(decision('said', true));
    monitor.decided(decision('open', true));
    monitor.labelled(label('silent'));
    monitor.labelled(label('said', { answers: ['y'] }));
    monitor.labelled(label('said'));
    monitor.labelled(label('open', { answerable: true }));
    const { tally, watches } = monitor.status(true);
    expect(tally).toMatchObject({ labels: 4, judged: 1, notAnswered: 1, again: 1, silent: 1 });
    expect(watches.find(({ figure }) => figure === 'risk')).toMatchObject({ n: 1, mean: 1 });
  });

  it('is an answer that is none', () => {
    const { answer: _, ...bad } = decision('a', true);
    expect(() => monitorOf().decided(bad)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  it('are acts that the test split hardly knew', () => {
    const acts = { FACT: counts(29, 20, 1) };
    const { unwatched, guarantee } = new Monitor({ ...baseline, acts }, settings, () => null).status(false);
    expect(unwatched).toEqual([{ act: 'FACT', n: 29, least: 30 }]);
    expect(guarantee).toContain('3 watches');
    // The bounds and the bets count questions: the promise is not there without that.
    expect(guarantee).toMatch(
      /^If queries come independently of each other, .*not many on one document.* at most 0\.05/,
    );
  });
});

describe('where documents are counted', () => {
  const mean = (value: number, low: number, high: number) => ({ documents: 15, value, low, high });
  const byDocument = { coverage: mean(0.7, 0.5, 0.85), risk: mean(0.1, 0.02, 0.3), failed: 0 };
  const all: Counts = { ...counts(1_000, 700, 70), byDocument };

  it('the guarantee is about queries of documents of their own, and says on how many it rests', () => {
    const { guarantee } = new Monitor({ hash: 'now', all, acts: {} }, settings, () => null).status(false);
    expect(guarantee).toMatch(/^If every query is about a document of its own .*each counting alike/);
    expect(guarantee).toContain('(15 documents)');
  });

  it('an alarm names the mean over documents too', () => {
    const monitor = new Monitor({ hash: 'now', all, acts: {} }, settings, () => null);
    const [alarm] = Array.from({ length: 300 }, (_, i) => monitor.decided(decision(`${i}`, false))).flat();
    expect(alarm!.sentence).toContain(
      '(700 of 1000, 70.0 %; 70.0 % on average over 15 documents; no drift as far',
    );
    expect(alarm!.watch!.reference).toEqual({ k: 700, n: 1_000, documents: { n: 15, mean: 0.7 } });
  });

  const documents: Documents = { coverage: 0.2, risk: 0, each: 170, inARow: 1, counted: true };
  const rates = (coverage: number): Rates => [{ act: 'FACT', share: 1, coverage, risk: 0.1 }];
  const world = {
    before: rates(0.8),
    testSplit: 15 * 170,
    documents,
    decisions: 2_000,
    labelled: 1,
    alpha: 0.01,
  };

  it('documents that are answered .6 or 1 of the time raise no false alarms, as counting queries would', () => {
    expect(simulate(world, 100, seededRandom(7)).alarms).toBeLessThanOrEqual(4);
    const queries = { ...world, documents: { ...documents, counted: false } };
    expect(simulate(queries, 100, seededRandom(7)).alarms).toBeGreaterThan(15);
  });

  it('a real drift is found: of 60 such documents, coverage .8 to .5; of 15, to .3', () => {
    const sixty = { ...world, testSplit: 60 * 40, documents: { ...documents, each: 40 } };
    const fallen = simulate({ ...sixty, after: rates(0.5) }, 30, seededRandom(7));
    expect([fallen.alarms, fallen.median! < 500]).toEqual([30, true]);
    expect(simulate({ ...world, after: rates(0.3) }, 30, seededRandom(7)).alarms).toBeGreaterThanOrEqual(27);
  });
});

describe('what is remembered', () => {
  it('has a bound, and what is dropped is counted', () => {
    const monitor = monitorOf({ remember: 3 });
    for (const id of ['a', 'b', 'c', 'd', 'e']) monitor.decided(decision(id, true));
    monitor.labelled(label('a'));
    for (const id of ['v', 'w', 'x', '__proto__']) monitor.labelled(label(id));
    const { tally, waiting } = monitor.status(true);
    expect(waiting).toEqual({ answers: 3, labels: 3, most: 3 });
    expect(tally).toMatchObject({ forgotten: 2, unknown: 2, judged: 0 });
  });

  it('joins a label that came before its decision', () => {
    const monitor = monitorOf();
    monitor.labelled(label('constructor', { correct: false }));
    monitor.decided(decision('constructor', true));
    expect(monitor.status(true)).toMatchObject({ tally: { judged: 1 }, waiting: { labels: 0 } });
  });
});

describe('a state', () => {
  const records = Array.from({ length: 120 }, (_, i) => ({ id: `${i}`, answered: i % 3 === 0 }));
  const feed = (monitor: Monitor, from: number, to: number) =>
    records
      .slice(from, to)
      .flatMap(({ id, answered }) => [
        ...monitor.decided(decision(id, answered)),
        ...monitor.labelled(label(id, { correct: false })),
      ]);

  it('goes on as if there had been no break, wherever that is', () => {
    const whole = monitorOf();
    const alarms = feed(whole, 0, 120);
    expect(alarms.length).toBeGreaterThan(1);
    for (const at of [0, 1, 59, 119]) {
      const first = monitorOf();
      const before = feed(first, 0, at);
      const kept = MonitorState.parse(JSON.parse(JSON.stringify(first.state())));
      const second = monitorOf({}, kept);
      expect([...before, ...feed(second, at, 120)]).toEqual(alarms);
      expect(second.state()).toEqual(whole.state());
    }
  });

  it('is refused under another artifact, or with bars that moved', () => {
    const state = monitorOf().state();
    expect(() => monitorOf({}, { ...state, calibration: 'before' })).toThrow(
      expect.objectContaining({ code: 'CALIBRATION_MISMATCH', message: expect.stringContaining('before') }),
    );
    expect(() => monitorOf({ alpha: { text: '0.1', value: 0.1 } }, state)).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION', message: expect.stringContaining('alpha 0.05') }),
    );
    expect(() => monitorOf({}, { ...state, watches: [] })).toThrow(/another version/);
  });
});

it('keeps what it promises on false alarms, and the simulation would show if not', async () => {
  const { lines, failures } = await monitorValidity({ streams: 60, decisions: 600 });
  expect(failures, lines.join('\n')).toBe(0);
  expect(lines.filter((line) => line.startsWith('ok'))).toHaveLength(14);
});
