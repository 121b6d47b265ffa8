import { asNumber, type Fraction, type Level } from '../levels/level.ts';
import { type Answered, answeredBy } from './answered.ts';
import { documentsToWin, leastDocuments, logCapital, wins } from './bets.ts';
import { binomialCdf, floorWithoutErrors, tailWithin } from './binomial.ts';
import { type AnsweredDocuments, answeredDocuments } from './documents.ts';
import type { RiskDocuments, Scored } from './types.ts';

/** The test of "of what is answered at this threshold more than the level is wrong". */
export interface Trial {
  /** Answered units: labelled examples, or documents with one. */
  units: number;
  pValue: number;
  /** Decides exactly, where `pValue` is a float. */
  passes(delta: Fraction): boolean;
  /** Answered units without which it cannot pass. */
  floor(delta: Fraction): number;
  /** Answered units with which it would pass at the rate of errors seen here; null: no number would do. */
  wanted(delta: Fraction): number | null;
  documents: RiskDocuments | null;
}

/** What a pool's labelled examples say, as tests see it. */
export interface Evidence {
  /** By example, whatever the unit of the test. */
  answered: Answered;
  /** Units, and those that some threshold answers. */
  units: number;
  open: number;
  trial(tau: number): Trial;
}

/** Examples are exchangeable: the number of wrong ones among those answered is binomial. */
export function evidenceOfQuestions(items: readonly Scored[], level: Level): Evidence {
  const answered = answeredBy(items);
  return {
    answered,
    units: answered.n,
    open: answered.open,
    trial(tau) {
      const counts = answered.at(tau);
      return { ...binomialTrial(counts.answered, counts.wrong, level), documents: null };
    },
  };
}

/**
 * Documents are exchangeable. Of the documents with an answer, those that exceed the level on average: `stakeAt` says
 * how that is tested at each threshold, by a bet on every document's share of wrong answers, or by the binomial over one
 * answer drawn from each (null); it must not depend on these labels. Where no document has two answers to look at, a
 * bet would only lose against the binomial, which is then used.
 */
export function evidenceOfDocuments(
  items: readonly Scored[],
  level: Level,
  stakeAt: (tau: number) => number | null,
): Evidence {
  const documents = answeredDocuments(items);
  return {
    answered: answeredBy(items),
    units: documents.n,
    open: documents.open,
    trial: (tau) => documentTrial(documents, tau, level, documents.single ? null : stakeAt(tau)),
  };
}

function documentTrial(documents: AnsweredDocuments, tau: number, level: Level, stake: number | null): Trial {
  const { wrong, drawnWrong } = documents.at(tau);
  const answered = wrong.length;
  const share = answered === 0 ? null : wrong.reduce((sum, each) => sum + each, 0) / answered;
  const about = { n: documents.n, answered, share, stake };
  if (stake === null) {
    return { ...binomialTrial(answered, drawnWrong, level), documents: { ...about, test: 'drawn' } };
  }
  const log = logCapital(wrong, asNumber(level), stake);
  return {
    units: answered,
    pValue: Math.min(1, Math.exp(-log)),
    passes: (delta) => wins(log, asNumber(delta)),
    floor: (delta) => leastDocuments(asNumber(level), stake, asNumber(delta)),
    wanted: (delta) => (answered === 0 ? null : documentsToWin(log / answered, asNumber(delta))),
    documents: { ...about, test: 'bet' },
  };
}

function binomialTrial(answered: number, wrong: number, level: Level): Omit<Trial, 'documents'> {
  return {
    units: answered,
    pValue: binomialCdf(wrong, answered, asNumber(level)),
    passes: (delta) => tailWithin(wrong, answered, level, delta),
    floor: (delta) => floorWithoutErrors(level, delta),
    wanted: (delta) => (answered === 0 ? null : answersNeeded(wrong / answered, level, delta)),
  };
}

/** Chance that an act which keeps the level is refused a borrowed threshold all the same. */
const VETO: Fraction = { numerator: 1n, denominator: 20n };

/**
 * Do the act's own examples show, at VETO, a risk above the level at this threshold? By examples: P(Binomial >= wrong)
 * <= VETO. By documents: a bet of half the capital on the shares of right answers, against their mean being at least
 * 1 - level.
 */
export function contradicts(own: readonly Scored[], tau: number, level: Level, byDocument: boolean): boolean {
  const documents = byDocument ? answeredDocuments(own) : null;
  if (documents !== null && !documents.single) {
    const right = documents.at(tau).wrong.map((share) => 1 - share);
    return wins(logCapital(right, 1 - asNumber(level), 0.5), asNumber(VETO));
  }
  const { numerator, denominator } = level;
  const { answered, wrong } = answeredBy(own).at(tau);
  return (
    wrong > 0 &&
    tailWithin(answered - wrong, answered, { numerator: denominator - numerator, denominator }, VETO)
  );
}

/** Past this many answered examples a rate of errors counts as one that no number of examples would prove. */
const MOST_ANSWERED = 1_000_000;

function answersNeeded(rate: number, level: Level, delta: Fraction): number | null {
  if (rate >= asNumber(level)) return null;
  const floor = floorWithoutErrors(level, delta);
  let [low, high] = [floor - 1, floor];
  while (!tailWithin(Math.ceil(rate * high), high, level, delta)) {
    if (high > MOST_ANSWERED) return null;
    [low, high] = [high, high * 2];
  }
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (tailWithin(Math.ceil(rate * middle), middle, level, delta)) high = middle;
    else low = middle;
  }
  return high;
}
