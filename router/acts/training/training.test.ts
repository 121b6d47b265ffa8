import { describe, expect, test } from 'vitest';
import { ACTS, type Act } from '../../../profiles/index.ts';
import { logits, softmax } from '../linear.ts';
import { decodeWeights, encodeWeights, hashOf, ModelHeader } from '../model-file.ts';
import { observe, SpeechActClassifier } from '../speech-act-classifier.ts';
import { fitTemperature, type HeldOut, tune } from './fit.ts';
import { nearDuplicateGroups } from './groups.ts';
import { handWritten } from './phrases.ts';
import { SoftmaxRegression, type WeightedObservation } from './softmax-regression.ts';

const OPTIONS = { labels: ACTS, epochs: 6, rate: 0.3, denseRate: 0.3 };
const TINY: [string, Act][] = [
  ['how many apples are there?', 'QUANTITY'],
  ['how much is it?', 'QUANTITY'],
  ['why is it raining?', 'EXPLANATION'],
  ['why did they leave?', 'EXPLANATION'],
  ['who wrote this?', 'FACT'],
  ['where is the key?', 'FACT'],
  ['thank you', 'NOT_A_QUESTION'],
  ['hello there', 'NOT_A_QUESTION'],
];

function trained(texts: readonly [string, Act][], vector?: (act: Act) => Float32Array) {
  const engine = new SoftmaxRegression(OPTIONS);
  const classifier = new SpeechActClassifier<WeightedObservation>(engine);
  for (const [text, act] of texts) classifier.addDocument(observe(text, vector?.(act)), act);
  classifier.train();
  return { classifier, weights: engine.weights! };
}

const example = (act: Act): HeldOut['example'] => ({
  text: '',
  act,
  date: false,
  source: '',
  group: 0,
  weight: 1,
  core: true,
});

describe('training', () => {
  test('learns a tiny set and carries over to new words', () => {
    const { classifier } = trained(TINY);
    for (const [text, act] of TINY) expect(classifier.classify(observe(text))).toBe(act);
    expect(classifier.classify(observe('why do cats purr?'))).toBe('EXPLANATION');
    expect(classifier.classify(observe('how many cats are there?'))).toBe('QUANTITY');
  });

  test('twice the same set gives the same bytes', () => {
    const bytes = (texts: typeof TINY) => {
      const { weights } = trained(texts);
      return hashOf(encodeWeights({ withVector: weights, textOnly: weights }));
    };
    expect(bytes(TINY)).toBe(bytes(TINY));
    expect(bytes(TINY.slice(1))).not.toBe(bytes(TINY));
  });

  test('the vector is learned from where the words say nothing', () => {
    const vector = (act: Act) =>
      Float32Array.from({ length: 4 }, (_, i) => (i === ACTS.indexOf(act) % 4 ? 1 : 0));
    const same: [string, Act][] = [...Array(10).keys()].flatMap(() => [
      ['x', 'FACT'],
      ['x', 'QUANTITY'],
    ]);
    const { classifier } = trained(same, vector);
    expect(classifier.classify(observe('x', vector('FACT')))).toBe('FACT');
    expect(classifier.classify(observe('x', vector('QUANTITY')))).toBe('QUANTITY');
  });

  test('a label that is no class is refused', () => {
    expect(() => new SoftmaxRegression(OPTIONS).addExample(observe('x'), '__proto__')).toThrow(RangeError);
  });
});

describe('weights on disk', () => {
  test('come back within one step of eight bits', () => {
    const withVector = trained(TINY, () => Float32Array.of(0.5, -0.5)).weights;
    const textOnly = trained(TINY).weights;
    const bytes = encodeWeights({ withVector, textOnly });
    const tuning = { temperature: 1, confidentAt: 0.5, refuseAt: 0.5 };
    const header = ModelHeader.parse({
      schema: 'pragaura.acts/1',
      labels: ACTS,
      buckets: 32_768,
      embedder: { name: 'e', sha256: '', dimension: 2 },
      withVector: tuning,
      textOnly: tuning,
      weights: { bytes: bytes.length, sha256: hashOf(bytes) },
      data: { sources: {}, acts: {} },
    });
    const back = decodeWeights(bytes, header);
    expect(back.withVector.dense).toEqual(withVector.dense);
    expect(back.textOnly.bias).toEqual(textOnly.bias);
    for (const [name, before] of Object.entries({ withVector, textOnly })) {
      const after = back[name as keyof typeof back].sparse;
      const top = before.sparse.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
      const off = before.sparse.reduce((a, b, i) => Math.max(a, Math.abs(b - after[i]!)), 0);
      expect(off).toBeLessThanOrEqual(top / 127);
      expect(off).toBeGreaterThan(0);
    }
  });
});

describe('probabilities', () => {
  test('softmax by hand, and of logits of any size', () => {
    expect([...softmax(Float64Array.of(0, Math.log(3)))]).toEqual(
      [0.25, 0.75].map((p) => expect.closeTo(p, 12)),
    );
    expect([...softmax(Float64Array.of(1e308, -1e308))]).toEqual([1, 0]);
    expect([...softmax(Float64Array.of(0, Math.log(9)), 2)][1]).toBeCloseTo(0.75, 12);
  });

  test('the temperature undoes a known overconfidence', () => {
    // FACT is right three times in four, and the scores claim odds of 3 to the power of 4: log 3 each way, times 4.
    const scores = Float64Array.from(ACTS, (act) =>
      act === 'FACT' ? 4 * Math.log(3) : act === 'QUANTITY' ? 0 : -1e3,
    );
    const heldOut = (['FACT', 'FACT', 'FACT', 'QUANTITY'] as const).map((act) => ({
      example: example(act),
      scores,
    }));
    expect(fitTemperature(heldOut)).toBeCloseTo(4, 3);
  });

  test('refusal is set where questions are not refused', () => {
    const at = (p: number, act: Act): HeldOut => ({
      example: example(act),
      scores: Float64Array.from(ACTS, (a) => Math.log(a === 'NOT_A_QUESTION' ? p : (1 - p) / 8)),
    });
    const heldOut = [
      ...Array.from({ length: 80 }, () => at(0.95, 'NOT_A_QUESTION')),
      ...Array.from({ length: 20 }, () => at(0.75, 'FACT')),
    ];
    const { temperature, refuseAt } = tune(heldOut, [at(0.6, 'FACT').scores]);
    const questions = softmax(at(0.75, 'FACT').scores, temperature)[ACTS.indexOf('NOT_A_QUESTION')]!;
    expect(refuseAt).toBeGreaterThan(questions);
    expect(refuseAt).toBeLessThanOrEqual(questions + 0.01);
  });
});

describe('near-duplicates', () => {
  test('copies and rewordings share a group, templates do not', () => {
    const groups = nearDuplicateGroups([
      'What is the abbreviation of the National Bureau of Investigation?',
      'what is the acronym of the national bureau of investigation',
      'Who wrote Hamlet?',
      'who wrote hamlet',
      'Who wrote Ulysses?',
      'Why do leaves turn red?',
    ]);
    expect(groups[0]).toBe(groups[1]);
    expect(groups[2]).toBe(groups[3]);
    expect(new Set(groups).size).toBe(4);
  });
});

test('hand-written phrases are filled, and every act has some', () => {
  const phrases = handWritten();
  expect(phrases.filter(({ text }) => text === '' || text.includes('{}') || text.includes('|'))).toEqual([]);
  expect(new Set(phrases.map(({ act }) => act))).toEqual(new Set(ACTS));
});

test('logits of a model with a vector need no vector to be finite', () => {
  const { weights } = trained(TINY, () => Float32Array.of(1, 0));
  expect(logits(weights, observe('who')).every(Number.isFinite)).toBe(true);
});
