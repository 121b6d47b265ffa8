/** Fits weights, and what turns their scores into probabilities and labels. */
import { ACTS } from '../../../profiles/index.ts';
import { type LinearWeights, logits, softmax } from '../linear.ts';
import type { Tuning } from '../model-file.ts';
import { observe, SpeechActClassifier } from '../speech-act-classifier.ts';
import type { Dataset, TrainingExample } from './dataset.ts';
import { SoftmaxRegression, type WeightedObservation } from './softmax-regression.ts';

/** Chosen by cross-validation on the training sets (see the model card). */
const RATE = 0.3;
const DENSE_RATE = 0.3;
const EPOCHS = 8;
export const FOLDS = 5;

/** Share of labels that must be right among those called confident, and the least probability that may do. */
const CONFIDENT_ACCURACY = 0.98;
/** Share of questions that may be taken for none, on questions that nothing was learned from. */
const FALSE_REFUSALS = 0.0005;

export type Embed = (texts: readonly string[]) => Promise<Float32Array[]>;

export interface Prepared {
  example: TrainingExample;
  observation: WeightedObservation;
}

/** Logits of an example that the weights behind them have not seen. */
export interface HeldOut {
  example: TrainingExample;
  scores: Float64Array;
}

/** `embed` null: words only. */
export async function prepare(
  examples: readonly TrainingExample[],
  embed: Embed | null,
): Promise<Prepared[]> {
  const vectors = embed ? await embed(examples.map(({ text }) => text)) : [];
  return examples.map((example, i) => ({
    example,
    observation: { ...observe(example.text, vectors[i]), weight: example.weight },
  }));
}

export function fitWeights(prepared: readonly Prepared[], epochs = EPOCHS): LinearWeights {
  const engine = new SoftmaxRegression({ labels: ACTS, epochs, rate: RATE, denseRate: DENSE_RATE });
  const classifier = new SpeechActClassifier<WeightedObservation>(engine);
  for (const { example, observation } of prepared) classifier.addDocument(observation, example.act);
  classifier.train();
  return engine.weights!;
}

/** Fold of a group, the same on every machine. */
export function foldOf(group: number): number {
  return (Math.imul(group + 1, 0x9e3779b1) >>> 8) % FOLDS;
}

/** Every core example scored by weights that saw no member of its group. `done` is told after each fold. */
export function crossValidate(prepared: readonly Prepared[], done: (fold: number) => void): HeldOut[] {
  const out: HeldOut[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const weights = fitWeights(prepared.filter(({ example }) => foldOf(example.group) !== fold));
    for (const { example, observation } of prepared) {
      if (example.core && foldOf(example.group) === fold) {
        out.push({ example, scores: logits(weights, observation) });
      }
    }
    done(fold);
  }
  return out;
}

/**
 * Every question on a manual as it was written, scored by weights that saw nothing of its writer, nor of its group.
 * `done` is told after each writer.
 */
export function leaveWritersOut(prepared: readonly Prepared[], done: (writer: string) => void): HeldOut[] {
  const out: HeldOut[] = [];
  const writers = new Set(prepared.flatMap(({ example }) => example.writer ?? []));
  for (const writer of writers) {
    const own = prepared.filter(({ example }) => example.writer === writer);
    const groups = new Set(own.map(({ example }) => example.group));
    const weights = fitWeights(prepared.filter(({ example }) => !groups.has(example.group)));
    for (const { example, observation } of own) out.push({ example, scores: logits(weights, observation) });
    done(writer);
  }
  return out;
}

/** The temperature with the least mean log loss, by golden section on its logarithm in [1/5, 5]. */
export function fitTemperature(heldOut: readonly HeldOut[]): number {
  const loss = (log: number) => {
    let sum = 0;
    for (const { example, scores } of heldOut) {
      sum -= Math.log(Math.max(softmax(scores, Math.exp(log))[ACTS.indexOf(example.act)]!, 1e-300));
    }
    return sum;
  };
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [-Math.log(5), Math.log(5)];
  for (let i = 0; i < 40; i++) {
    const [a, b] = [high - ratio * (high - low), low + ratio * (high - low)];
    if (loss(a) < loss(b)) high = b;
    else low = a;
  }
  return Math.exp((low + high) / 2);
}

/**
 * Temperature and thresholds, all from examples that the weights did not see. `confidentAt`: the least probability
 * from which on the labels are right as often as CONFIDENT_ACCURACY says. `refuseAt`: the least probability of
 * NOT_A_QUESTION at which no more than FALSE_REFUSALS of the questions would be refused.
 */
export function tune(heldOut: readonly HeldOut[], questions: readonly Float64Array[]): Tuning {
  const temperature = fitTemperature(heldOut);
  const refusal = ACTS.indexOf('NOT_A_QUESTION');
  const grid = Array.from({ length: 49 }, (_, i) => (50 + i) / 100);
  const rows = heldOut.map(({ example, scores }) => {
    const probabilities = softmax(scores, temperature);
    const top = Math.max(...probabilities);
    return { top, right: probabilities.indexOf(top) === ACTS.indexOf(example.act) };
  });
  const confidentAt =
    grid.find((level) => {
      const sure = rows.filter(({ top }) => top >= level);
      return sure.filter(({ right }) => right).length >= CONFIDENT_ACCURACY * sure.length;
    }) ?? 0.99;
  const asked = [
    ...heldOut.filter(({ example }) => example.act !== 'NOT_A_QUESTION').map(({ scores }) => scores),
    ...questions,
  ].map((scores) => softmax(scores, temperature)[refusal]!);
  const refuseAt =
    grid.find((level) => asked.filter((p) => p >= level).length <= FALSE_REFUSALS * asked.length) ?? 0.99;
  return { temperature, confidentAt, refuseAt };
}

/** Logits of questions of which nothing is known but that they are questions. */
export async function scoreQuestions(
  questions: readonly string[],
  weights: LinearWeights,
  embed: Embed | null,
): Promise<Float64Array[]> {
  const vectors = embed ? await embed(questions) : [];
  return questions.map((question, i) => logits(weights, observe(question, vectors[i])));
}

/** Counts of what was learned from. */
export function describe({ examples }: Dataset): {
  sources: Record<string, number>;
  acts: Record<string, number>;
} {
  const sources: Record<string, number> = {};
  const acts: Record<string, number> = {};
  for (const { source, act, core } of examples) {
    const name = core ? source : `${source} (extra)`;
    sources[name] = (sources[name] ?? 0) + 1;
    acts[act] = (acts[act] ?? 0) + 1;
  }
  return { sources, acts };
}
