/** Multinomial logistic regression in the shape that natural's classifiers expect of the engine behind them. */
import type { Engine } from 'natural/lib/natural/classifiers/classifier.js';
import { BUCKETS } from '../features.ts';
import { type LinearWeights, type Observation, logits, softmax } from '../linear.ts';
import { minimise } from './lbfgs.ts';

export interface SoftmaxOptions {
  /** Class order; examples with other labels are refused. */
  labels: readonly string[];
  /** Strength of the ridge penalty on the mean loss, for n-grams and for the vector. */
  ridge: number;
  denseRidge: number;
  iterations: number;
}

export interface WeightedObservation extends Observation {
  /** How much the example counts; default 1. */
  weight?: number;
}

/**
 * natural's own LogisticRegressionClassifier fits one dense row an example and one gradient descent a class with
 * three trial learning rates; it is not usable beyond a few hundred texts. This fits all classes at once.
 */
export class SoftmaxRegression implements Engine<WeightedObservation> {
  private readonly options: SoftmaxOptions;
  private readonly examples: WeightedObservation[] = [];
  private readonly targets: number[] = [];
  weights: LinearWeights | undefined;

  constructor(options: SoftmaxOptions) {
    this.options = options;
  }

  addExample(features: WeightedObservation, label: string): void {
    const target = this.options.labels.indexOf(label);
    if (target < 0) throw new RangeError(`Unknown label ${label}`);
    this.examples.push(features);
    this.targets.push(target);
  }

  train(): void {
    const problem = flatten(this.examples, this.targets, this.options.labels.length);
    const { classes, dimension, buckets } = problem;
    const denseAt = buckets.length * classes;
    const biasAt = denseAt + dimension * classes;
    const x = new Float64Array(biasAt + classes);
    const ridge = (i: number) => (i < denseAt ? this.options.ridge : this.options.denseRidge);

    minimise(
      (w, gradient) => {
        gradient.fill(0);
        let loss = dataLoss(problem, w, gradient);
        for (let i = 0; i < biasAt; i++) {
          loss += (ridge(i) / 2) * w[i]! * w[i]!;
          gradient[i]! += ridge(i) * w[i]!;
        }
        return loss;
      },
      x,
      { iterations: this.options.iterations, tolerance: 2e-5 },
    );

    const sparse = new Float32Array(BUCKETS * classes);
    for (const [row, bucket] of buckets.entries()) {
      sparse.set(x.subarray(row * classes, (row + 1) * classes), bucket * classes);
    }
    this.weights = {
      classes,
      sparse,
      // By class while fitting, by dimension in the weights.
      dense: Float32Array.from({ length: dimension * classes }, (_, i) => {
        return x[denseAt + (i % classes) * dimension + Math.floor(i / classes)]!;
      }),
      bias: Float32Array.from(x.subarray(biasAt)),
    };
  }

  getClassifications(features: Observation): { label: string; value: number }[] {
    if (!this.weights) throw new Error('Not trained');
    const probabilities = softmax(logits(this.weights, features));
    return this.options.labels
      .map((label, c) => ({ label, value: probabilities[c]! }))
      .sort((a, b) => b.value - a.value);
  }

  classify(features: Observation): string {
    return this.getClassifications(features)[0]!.label;
  }
}

/** All examples in a few flat arrays, because the optimiser walks over them some hundred times. */
interface Problem {
  classes: number;
  dimension: number;
  /** Buckets that occur at all get a row each; the others would only slow the optimiser down. */
  buckets: number[];
  /** Example e has the features `starts[e]` to `starts[e + 1]`. `rows`: place of the row's first weight. */
  starts: Int32Array;
  rows: Int32Array;
  values: Float32Array;
  dense: Float32Array;
  targets: Int32Array;
  /** Share of each example in the mean loss. */
  shares: Float64Array;
}

function flatten(examples: readonly WeightedObservation[], targets: number[], classes: number): Problem {
  const rowOf = new Int32Array(BUCKETS).fill(-1);
  for (const { sparse } of examples) for (const index of sparse.indices) rowOf[index] = 0;
  const buckets: number[] = [];
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    if (rowOf[bucket] === 0) rowOf[bucket] = buckets.push(bucket) - 1;
  }
  const dimension = examples[0]?.vector?.length ?? 0;
  const features = examples.reduce((sum, { sparse }) => sum + sparse.indices.length, 0);
  const weight = examples.reduce((sum, example) => sum + (example.weight ?? 1), 0);
  const problem: Problem = {
    classes,
    dimension,
    buckets,
    starts: new Int32Array(examples.length + 1),
    rows: new Int32Array(features),
    values: new Float32Array(features),
    dense: new Float32Array(examples.length * dimension),
    targets: Int32Array.from(targets),
    shares: Float64Array.from(examples, (example) => (example.weight ?? 1) / weight),
  };
  let at = 0;
  for (const [e, { sparse, vector }] of examples.entries()) {
    for (let i = 0; i < sparse.indices.length; i++, at++) {
      problem.rows[at] = rowOf[sparse.indices[i]!]! * classes;
      problem.values[at] = sparse.values[i]!;
    }
    problem.starts[e + 1] = at;
    if (vector) problem.dense.set(vector, e * dimension);
  }
  return problem;
}

/** Mean log loss at `w`; adds its gradient to `gradient`. Weights: rows of buckets, the vector's by class, biases. */
function dataLoss(problem: Problem, w: Float64Array, gradient: Float64Array): number {
  const { classes, dimension, buckets, starts, rows, values, dense, targets, shares } = problem;
  const denseAt = buckets.length * classes;
  const biasAt = denseAt + dimension * classes;
  const scores = new Float64Array(classes);
  let loss = 0;
  for (let e = 0; e < targets.length; e++) {
    const from = starts[e]!;
    const to = starts[e + 1]!;
    for (let c = 0; c < classes; c++) scores[c] = w[biasAt + c]!;
    for (let i = from; i < to; i++) {
      const row = rows[i]!;
      const value = values[i]!;
      for (let c = 0; c < classes; c++) scores[c]! += value * w[row + c]!;
    }
    const vector = dense.subarray(e * dimension, (e + 1) * dimension);
    for (let c = 0; c < classes; c++) scores[c]! += dot(vector, w, denseAt + c * dimension);

    const errors = softmax(scores);
    loss -= shares[e]! * Math.log(Math.max(errors[targets[e]!]!, 1e-300));
    errors[targets[e]!]! -= 1;
    for (let c = 0; c < classes; c++) errors[c]! *= shares[e]!;

    for (let c = 0; c < classes; c++) gradient[biasAt + c]! += errors[c]!;
    for (let i = from; i < to; i++) {
      const row = rows[i]!;
      const value = values[i]!;
      for (let c = 0; c < classes; c++) gradient[row + c]! += value * errors[c]!;
    }
    for (let c = 0; c < classes; c++) {
      const error = errors[c]!;
      const row = denseAt + c * dimension;
      for (let d = 0; d < dimension; d++) gradient[row + d]! += vector[d]! * error;
    }
  }
  return loss;
}

/** Four sums at once: this is where the time goes. */
function dot(vector: Float32Array, w: Float64Array, at: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 3 < vector.length; i += 4) {
    a += vector[i]! * w[at + i]!;
    b += vector[i + 1]! * w[at + i + 1]!;
    c += vector[i + 2]! * w[at + i + 2]!;
    d += vector[i + 3]! * w[at + i + 3]!;
  }
  for (; i < vector.length; i++) a += vector[i]! * w[at + i]!;
  return a + b + c + d;
}
