/** Vectors of texts that no model has read, near those that it has. */
import { createHash } from 'node:crypto';
import { type Random, randomInteger, sample, seededRandom } from '../../common/index.ts';

/** Unit vectors, one after the other. */
export interface Vectors {
  values: Float32Array;
  dimension: number;
}

/** How far: so that neighbours are as near to each other, and as many ways lead off, as among as many real ones. */
const MOVED = 0.6;

function count({ values, dimension }: Vectors): number {
  return values.length / dimension;
}

function vectorAt({ values, dimension }: Vectors, place: number): Float32Array {
  return values.subarray(place * dimension, (place + 1) * dimension);
}

/** A number of the normal distribution (Box and Muller). */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}

/**
 * The vector of a text: a real one drawn by the hash of the text, moved in a direction in which real ones differ (from one to another).
 * Equal texts have equal vectors.
 */
export function vectorOf(real: Vectors, text: string): Float32Array {
  const random = seededRandom(createHash('sha256').update(text).digest().readInt32LE());
  const drawn = () => vectorAt(real, randomInteger(random, count(real)));
  const [one, from, to] = [drawn(), drawn(), drawn()];
  return unit(one.map((value, i) => value + MOVED * (to[i]! - from[i]!)));
}

/** A unit vector with this cosine to one, in a direction at random. */
export function vectorBeside(vector: Float32Array, cosine: number, random: Random): Float32Array {
  const noise = vector.map(() => normal(random));
  const along = dot(noise, vector);
  const across = unit(noise.map((value, i) => value - along * vector[i]!));
  return unit(vector.map((value, i) => cosine * value + Math.sqrt(1 - cosine ** 2) * across[i]!));
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** How vectors lie to each other, by a sample of them. */
export interface Neighbourhood {
  vectors: number;
  /** Cosine of two at random, and of one and its nearest: medians. */
  apart: number;
  nearest: number;
  /** Dimensions that they spread over, by the distances to the two nearest (Facco and others 2017). */
  intrinsicDimension: number;
}

/** Most vectors that are compared, each with each. */
const COMPARED = 2_000;

export function neighbourhoodOf(vectors: Vectors): Neighbourhood {
  const random = seededRandom(3);
  const places = sample(
    Array.from({ length: count(vectors) }, (_, place) => place),
    COMPARED,
    random,
  );
  const some = places.map((place) => vectorAt(vectors, place));
  const nearest: number[] = [];
  const apart: number[] = [];
  let logs = 0;
  let ratios = 0;
  for (const [i, one] of some.entries()) {
    let [first, second] = [-1, -1];
    for (const [j, other] of some.entries()) {
      if (i === j) continue;
      const cosine = dot(one, other);
      if (cosine > first) [first, second] = [cosine, first];
      else if (cosine > second) second = cosine;
    }
    nearest.push(first);
    apart.push(dot(one, some[(i + 1 + randomInteger(random, some.length - 1)) % some.length]!));
    // Copies are no neighbours.
    if (first < 1 - 1e-6) {
      logs += Math.log(Math.sqrt((1 - second) / (1 - first)));
      ratios += 1;
    }
  }
  return {
    vectors: some.length,
    apart: median(apart),
    nearest: median(nearest),
    intrinsicDimension: ratios / logs,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}
