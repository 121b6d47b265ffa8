/** The logistic function, its inverse, and its log loss. Pure. */

/** A probability from log odds, in [0, 1]. */
export function sigmoid(z: number): number {
  return 1 / (1 + Math.exp(-z));
}

/** Log odds of a probability; infinite at 0 and 1. */
export function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}

/** Log odds of a probability that counts as at least `least` away from 0 and from 1, so that they are finite. */
export function boundedLogit(probability: number, least: number): number {
  return logit(Math.min(1 - least, Math.max(least, probability)));
}

/** -log(sigmoid(z)) without overflow: the loss of a right prediction with log odds `z`. */
export function logLoss(z: number): number {
  return z > 0 ? Math.log1p(Math.exp(-z)) : Math.log1p(Math.exp(z)) - z;
}
