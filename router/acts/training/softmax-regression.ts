/** Multinomial logistic regression in the shape that natural's classifiers expect of the engine behind them. */

import type { Engine } from 'natural/lib/natural/classifiers/classifier.js';
import { mulberry32, shuffled } from '../../../common/index.ts';
import { BUCKETS } from '../features.ts';
import { type LinearWeights, logits, type Observation, softmax } from '../linear.ts';

export interface SoftmaxOptions {
  /** Class order; examples with other labels are refused. */
  labels: readonly string[];
  /** Passes over the examples; the weights are the mean of those after each pass of the second half. */
  epochs: number;
  /** Step sizes of AdaGrad for the n-grams and for the vector. */
  rate: number;
  denseRate: number;
}

export interface WeightedObservation extends Observation {
  /** How much the example counts; default 1. */
  weight?: number;
}

/** Keeps the first steps of AdaGrad from being as long as they like. */
const DAMPING = 1e-2;

/**
 * natural's own LogisticRegressionClassifier fits one dense row an example and one gradient descent a class with
 * trial learning rates; it is not usable beyond a few hundred texts. This fits all classes at once, one example at
 * a time (AdaGrad: Duchi, Hazan and Singer 2011), in an order shuffled from a fixed seed.
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
    const { labels, epochs, rate, denseRate } = this.options;
    const classes = labels.length;
    const current = emptyWeights(classes, this.examples[0]?.vector?.length ?? 0);
    const squares = emptyWeights(classes, current.dense.length / classes);
    const mean = emptyWeights(classes, current.dense.length / classes);
    let order = this.examples.map((_, i) => i);
    const random = mulberry32(1);
    const averaged = Math.ceil(epochs / 2);

    for (let epoch = 0; epoch < epochs; epoch++) {
      order = shuffled(order, random);
      for (const e of order) {
        const example = this.examples[e]!;
        const errors = softmax(logits(current, example));
        errors[this.targets[e]!]! -= 1;
        for (let c = 0; c < classes; c++) errors[c]! *= example.weight ?? 1;
        const { indices, values } = example.sparse;
        for (let i = 0; i < indices.length; i++) {
          step(current.sparse, squares.sparse, indices[i]! * classes, values[i]!, errors, rate);
        }
        for (let d = 0; d * classes < current.dense.length; d++) {
          step(current.dense, squares.dense, d * classes, example.vector![d]!, errors, denseRate);
        }
        step(current.bias, squares.bias, 0, 1, errors, rate);
      }
      if (epoch >= epochs - averaged) {
        for (const part of ['sparse', 'dense', 'bias'] as const) {
          for (let i = 0; i < mean[part].length; i++) mean[part][i]! += current[part][i]! / averaged;
        }
      }
    }
    this.weights = mean;
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

/** One row of weights goes against its gradient `value * errors`, the less the more it has moved before. */
function step(
  weights: Float32Array,
  squares: Float32Array,
  at: number,
  value: number,
  errors: Float64Array,
  rate: number,
): void {
  for (let c = 0; c < errors.length; c++) {
    const gradient = value * errors[c]!;
    const sum = squares[at + c]! + gradient * gradient;
    squares[at + c] = sum;
    weights[at + c]! -= (rate * gradient) / Math.sqrt(sum + DAMPING);
  }
}

function emptyWeights(classes: number, dimension: number): LinearWeights {
  return {
    classes,
    sparse: new Float32Array(BUCKETS * classes),
    dense: new Float32Array(dimension * classes),
    bias: new Float32Array(classes),
  };
}
