/** Two kinds of queries in one stream, told apart by one number: some of them labelled, most not. */

export interface Normal {
  mean: number;
  deviation: number;
  /** Share of the stream. */
  share: number;
}

export interface Mixture {
  /** Queries that the collection is asked about. */
  within: Normal;
  /** Queries about something else, whose numbers are larger. */
  beyond: Normal;
}

export interface Point {
  value: number;
  /** Whether the collection has it; null: nobody said. */
  within: boolean | null;
}

const STEPS = 200;
const ENOUGH = 1e-9;
/** Of what is narrower than this too little is known. */
const LEAST_DEVIATION = 0.02;

/**
 * Maximum likelihood of two normal distributions by expectation and maximisation, the labelled points kept where they are
 * (Nigam et al. 2000). Begins with the labelled points; without any of a kind, with the lower and the upper quarter. Null for fewer
 * than eight points.
 */
export function fitMixture(points: readonly Point[]): Mixture | null {
  if (points.length < 8) return null;
  const sorted = points.map(({ value }) => value).sort((a, b) => a - b);
  const quarter = (upper: boolean) => sorted.at(Math.floor((sorted.length - 1) * (upper ? 0.75 : 0.25)))!;
  const known = (kind: boolean) => points.filter(({ within }) => within === kind).map(({ value }) => value);
  const spread = Math.max(LEAST_DEVIATION, (quarter(true) - quarter(false)) / 2);
  const begin = (kind: boolean): Normal => {
    const own = known(kind);
    const mean = own.length > 0 ? own.reduce((a, b) => a + b, 0) / own.length : quarter(!kind);
    return { mean, deviation: spread, share: 0.5 };
  };
  let mixture: Mixture = { within: begin(true), beyond: begin(false) };
  let before = Number.NEGATIVE_INFINITY;
  for (let step = 0; step < STEPS; step++) {
    const weights = points.map(({ value, within }) =>
      within === null ? probabilityWithin(mixture, value) : Number(within),
    );
    mixture = {
      within: weighted(points, weights),
      beyond: weighted(
        points,
        weights.map((weight) => 1 - weight),
      ),
    };
    const likelihood = points.reduce((sum, point) => sum + logLikelihood(mixture, point), 0);
    if (likelihood - before < ENOUGH) break;
    before = likelihood;
  }
  return mixture;
}

function weighted(points: readonly Point[], weights: readonly number[]): Normal {
  const total = Math.max(
    1e-12,
    weights.reduce((a, b) => a + b, 0),
  );
  const mean = points.reduce((sum, { value }, i) => sum + weights[i]! * value, 0) / total;
  const square = points.reduce((sum, { value }, i) => sum + weights[i]! * (value - mean) ** 2, 0) / total;
  return { mean, deviation: Math.max(LEAST_DEVIATION, Math.sqrt(square)), share: total / points.length };
}

function density({ mean, deviation, share }: Normal, value: number): number {
  return (share / deviation) * Math.exp(-0.5 * ((value - mean) / deviation) ** 2);
}

function logLikelihood({ within, beyond }: Mixture, point: Point): number {
  const [a, b] = [density(within, point.value), density(beyond, point.value)];
  return Math.log(Math.max(1e-300, point.within === null ? a + b : point.within ? a : b));
}

/** That a query with this number is one that the collection is asked about, in [0, 1]. */
export function probabilityWithin({ within, beyond }: Mixture, value: number): number {
  const [a, b] = [density(within, value), density(beyond, value)];
  return a + b === 0 ? Number(value < (within.mean + beyond.mean) / 2) : a / (a + b);
}

/** 98 % quantile of the standard normal distribution. */
const Z98 = 2.0537;

/** The number under which 98 % of the queries within lie. */
export function limitOf({ within }: Mixture): number {
  return within.mean + Z98 * within.deviation;
}
