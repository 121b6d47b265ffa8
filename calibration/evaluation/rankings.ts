import type { BootstrapOptions } from '../metrics/intervals.ts';
import { contrastOfAreas } from '../metrics/paired.ts';
import { type GroupedItem, type SelectiveFigures, selectiveFigures } from '../metrics/resampled.ts';
import { riskAtCoverage } from '../metrics/selective.ts';
import { curveOf, type Placed, sharesAt } from './curve.ts';
import { NOTHING } from './estimates.ts';
import type { Graded } from './graded.ts';
import type { Ranker } from './rankers.ts';
import type { Areas, AtCoverage, Estimate, Ranking } from './types.ts';

const LOSSES = {
  wrong: ({ wrong }: Graded) => (wrong === null ? null : wrong ? 1 : 0),
  em: ({ em }: Graded) => (em === null ? null : 1 - em),
  f1: ({ f1 }: Graded) => (f1 === null ? null : 1 - f1),
} as const;

type Loss = (item: Graded) => number | null;

/** Every ranking with its areas, selective figures and curve, and the first one against each of the others. */
export function rankingsOf(
  items: readonly Graded[],
  rankers: readonly Ranker[],
  coverages: readonly number[],
  options: BootstrapOptions,
): Ranking[] {
  const placed = rankers.map((ranker) =>
    items.map((item) => ({ item, uncertainty: ranker.uncertainty(item.observation) })),
  );
  // As a rule both losses are the same, and resampling is most of the work.
  const emIsWrong = items.every((item) => LOSSES.em(item) === LOSSES.wrong(item));
  return rankers.map(({ name, about }, place) => {
    const own = placed[place]!;
    const wrong = figuresOf(own, LOSSES.wrong, coverages, options);
    const figures = {
      wrong,
      em: emIsWrong ? wrong : figuresOf(own, LOSSES.em, coverages, options),
      f1: figuresOf(own, LOSSES.f1, coverages, options),
    };
    return {
      name,
      about,
      losses: { wrong: areasOf(figures.wrong), em: areasOf(figures.em), f1: areasOf(figures.f1) },
      selective: coverages.map((coverage, at) => ({
        ...placeAt(own, coverage),
        risk: figures.wrong.risks[at] ?? NOTHING,
        em: kept(figures.em.risks[at] ?? NOTHING),
        f1: kept(figures.f1.risks[at] ?? NOTHING),
        bestEm: bestAt(own, LOSSES.em, coverage),
        bestF1: bestAt(own, LOSSES.f1, coverage),
        ...unsupportedAt(own, coverage),
      })),
      curve: curveOf(own),
      againstFirst: place === 0 ? null : differences(placed[0]!, own, options),
    };
  });
}

/** Areas of one loss with bounds for what could not be scored; also used for the acts, without coverages. */
export function figuresOf(
  placed: readonly Placed[],
  loss: Loss,
  coverages: readonly number[],
  options: BootstrapOptions,
): SelectiveFigures<Estimate> {
  const scored = itemsOf(placed, loss);
  const found = selectiveFigures(scored, coverages, options);
  const bound = (filler: number) =>
    scored.length === placed.length
      ? found
      : selectiveFigures(
          itemsOf(placed, (item) => loss(item) ?? filler),
          coverages,
          { resamples: 0 },
        );
  const bounds = [bound(0), bound(1)];
  const estimate = (pick: <T>(figures: SelectiveFigures<T>) => T | undefined): Estimate => {
    const ends = bounds.flatMap((end) => (end === null ? [] : [pick(end.values)!]));
    return {
      value: found === null ? null : pick(found.values)!,
      interval: found === null ? null : (pick(found.intervals) ?? null),
      n: placed.length,
      unscored: placed.length - scored.length,
      low: ends.length === 0 ? null : Math.min(...ends),
      high: ends.length === 0 ? null : Math.max(...ends),
    };
  };
  return {
    aurc: estimate((figures) => figures.aurc),
    oracle: estimate((figures) => figures.oracle),
    excess: estimate((figures) => figures.excess),
    augrc: estimate((figures) => figures.augrc),
    risks: coverages.map((_, place) => estimate((figures) => figures.risks[place])),
  };
}

function itemsOf(placed: readonly Placed[], loss: Loss): GroupedItem[] {
  return placed.flatMap(({ item, uncertainty }) => {
    const lost = loss(item);
    return lost === null ? [] : [{ group: item.document, uncertainty, loss: lost }];
  });
}

function areasOf({ aurc, oracle, excess, augrc }: SelectiveFigures<Estimate>): Areas {
  return { aurc, oracle, excess, augrc };
}

/** 1 - risk. */
function kept({ value, interval, low, high, ...rest }: Estimate): Estimate {
  const less = (risk: number | null) => (risk === null ? null : 1 - risk);
  return {
    ...rest,
    value: less(value),
    interval: interval === null ? null : { low: 1 - interval.high, high: 1 - interval.low },
    low: less(high),
    high: less(low),
  };
}

function placeAt(placed: readonly Placed[], coverage: number) {
  const point = riskAtCoverage(
    placed.map(({ uncertainty }) => ({ uncertainty, loss: 0 })),
    coverage,
  );
  const { answered, threshold, tied } = point ?? { answered: 0, threshold: null, tied: 0 };
  return { coverage, answered, threshold, tied };
}

/** 1 - risk were the same candidates in the best order that their losses allow. */
function bestAt(placed: readonly Placed[], loss: Loss, coverage: number): number | null {
  const items = itemsOf(placed, loss).map((item) => ({ loss: item.loss, uncertainty: item.loss }));
  const point = riskAtCoverage(items, coverage);
  return point === null ? null : 1 - point.risk;
}

function unsupportedAt(
  placed: readonly Placed[],
  coverage: number,
): Pick<AtCoverage, 'unsupportedTokens' | 'unsupportedEntailment'> {
  return {
    unsupportedTokens: sharesAt(placed, ({ tokens }) => tokens, [coverage])[0] ?? null,
    unsupportedEntailment: sharesAt(placed, ({ entailment }) => entailment, [coverage])[0] ?? null,
  };
}

function differences(
  first: readonly Placed[],
  other: readonly Placed[],
  { resamples = 1_000, seed = 1, level = 0.95 }: BootstrapOptions,
): NonNullable<Ranking['againstFirst']> {
  const pairs = other.flatMap(({ item, uncertainty }, place) => {
    const loss = LOSSES.wrong(item);
    if (loss === null) return [];
    const b = { uncertainty: first[place]!.uncertainty, loss };
    return [{ group: item.document, a: { uncertainty, loss }, b }];
  });
  const contrast = contrastOfAreas(pairs, 1, { resamples, seed, level });
  const difference = (area: 'AURC' | 'E-AURC' | 'AUGRC') => {
    const { difference: value, interval, p } = contrast[area];
    return { value, interval, p };
  };
  return { aurc: difference('AURC'), excess: difference('E-AURC'), augrc: difference('AUGRC') };
}
