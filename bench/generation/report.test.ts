import { expect, it } from 'vitest';
import { ARMS, type Arm, type Row, type Shown } from './arms.ts';
import { reportOn, sentenceKey } from './report.ts';

const shown = (text: string, sentences: [string, boolean][] = []): Shown => ({
  text,
  sentences: sentences.map(([words, kept]) => ({
    text: words,
    label: kept ? 'supported' : 'unsupported',
    support: kept ? 0.9 : 0.1,
    shown: kept,
    cited: true,
    citesRightly: kept,
  })),
  promptTokens: 100,
  generatedTokens: 10,
  requests: 1,
});
const SAME = { answers: [], meanings: [], semanticEntropy: 0, agreement: 1, nliPairs: 0 };
const all = (said: Shown | null): Shown | null =>
  said === null ? null : { ...said, sentences: said.sentences.map((each) => ({ ...each, shown: true })) };

function row(id: string, over: Partial<Row> & { said: Shown; gated: Shown | null; short?: string }): Row {
  const { said, gated, short = '', ...rest } = over;
  const kept = said.sentences.filter((each) => each.shown);
  const arms: Record<Arm, Shown | null> = {
    alone: all(said),
    check: kept.length === 0 ? null : { ...said, text: kept.map(({ text }) => text).join(' ') },
    gate: all(gated),
    both: gated,
    low: gated,
    quotes: gated,
  };
  return {
    ...{
      set: 's',
      id,
      group: id,
      query: '?',
      answerable: true,
      answers: ['1932'],
      taken: null,
      action: 'ANSWER',
      band: 'HIGH',
      U: 0.1,
      passages: [],
    },
    ...{ arms, short, samples: SAME, sampleTokens: 60, signals: { D: 0, C: 0, E: 1 } },
    branches: { names: ['lexical', 'dense'], answers: SAME, promptTokens: 90, generatedTokens: 10 },
    ms: { decide: 1, generate: 8, verify: 1, verifiedSentences: 2, first: 2, firstVerified: 5 },
    ...rest,
  };
}

const RIGHT = 'It opened in 1932.';
const WRONG = 'It has wings.';
const rows = [
  row('a', {
    said: shown(`${RIGHT} ${WRONG}`, [
      [RIGHT, true],
      [WRONG, false],
    ]),
    gated: shown(RIGHT, [[RIGHT, true]]),
    short: '1932',
  }),
  row('b', { said: shown(WRONG, [[WRONG, false]]), gated: null, short: 'wings', U: 0.9 }),
  row('c', { said: shown(RIGHT, [[RIGHT, true]]), gated: null, answerable: false, answers: [], U: null }),
];
const labels = new Map([
  [sentenceKey('s', 'a', RIGHT), true],
  [sentenceKey('s', 'a', WRONG), false],
  [sentenceKey('s', 'b', WRONG), false],
  [sentenceKey('s', 'c', RIGHT), true],
]);

it('counts what each arm shows, holds, gets wrong and says in vain', () => {
  const { arms, ms } = reportOn(rows, 'm', labels);
  const of = (arm: Arm) => arms.find((each) => each.arm === arm)!;
  expect(arms.map(({ arm }) => arm)).toEqual([...ARMS]);
  expect(of('alone')).toMatchObject({
    answered: 1,
    holdsAnswer: { value: 0.5 },
    wrong: { value: 0.5 },
    inVain: { value: 1 },
  });
  expect(of('check')).toMatchObject({
    holdsAnswer: { value: 0.5 },
    wrong: { value: 0 },
    inVain: { value: 1 },
  });
  expect(of('both')).toMatchObject({
    holdsAnswer: { value: 0.5 },
    wrong: { value: 0 },
    inVain: { value: 0 },
  });
  expect(of('alone').promptTokens).toBe(100);
  expect(of('gate').promptTokens).toBeCloseTo(100 / 3);
  expect(ms).toEqual({ decide: 1, generate: 8, verifyASentence: 0.5, verifyShare: 0.1, later: 3 });
});

it('counts by labels what is shown without being borne out, and what is lost of the rest', () => {
  const { arms } = reportOn(rows, 'm', labels);
  const of = (arm: Arm) => arms.find((each) => each.arm === arm)!;
  expect(of('alone')).toMatchObject({
    sentences: 4,
    labelled: 4,
    unsupported: { value: 0.5 },
    supportedLost: 0,
    citesRightly: 0.5,
  });
  expect(of('check')).toMatchObject({
    sentences: 2,
    labelled: 2,
    unsupported: { value: 0 },
    supportedLost: 0,
  });
  expect(of('both')).toMatchObject({ sentences: 1, labelled: 1, unsupported: { value: 0 } });
  expect(reportOn(rows, 'm', new Map()).arms[0]).toMatchObject({ labelled: 0, unsupported: { value: null } });
});

it('ranks short answers by each signal', () => {
  const [ranking] = reportOn(rows, 'm', labels).rankings;
  expect(ranking).toMatchObject({
    n: 2,
    em: 0.5,
    tokens: { samples: 60, branches: 100 },
  });
  expect(Object.fromEntries(ranking!.signals.map(({ signal, aurc }) => [signal, aurc]))).toEqual({
    U: 0.25,
    'semantic entropy': 0.5,
    '1 - agreement': 0.5,
    'U and semantic entropy, ranks': 0.25,
    D: 0.5,
    'D by generator': 0.5,
    sum: 0.5,
    'sum, D by generator': 0.5,
  });
  expect(ranking!.signals[1]!.difference.value).toBeCloseTo(0.25);
});

it('ranks by how far branches disagree, in spans and by the generator', () => {
  const apart = { ...SAME, agreement: 0.5 };
  const [right, wrong, none] = rows as [Row, Row, Row];
  const disagreeing = { ...wrong, branches: { ...wrong.branches, answers: apart } };
  const [ranking] = reportOn([right, disagreeing, none], 'm', labels).rankings;
  const aurcOf = (name: string) => ranking!.signals.find(({ signal }) => signal === name)!.aurc;
  expect([aurcOf('D'), aurcOf('D by generator'), aurcOf('sum, D by generator')]).toEqual([0.5, 0.25, 0.25]);
});
