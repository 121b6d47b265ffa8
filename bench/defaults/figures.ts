/** Played requests into shares, with intervals by world. */
import { bootstrapInterval, type Interval } from '../../calibration/index.ts';
import type { Played } from './simulate.ts';

export interface Cell {
  /** Requests. */
  n: number;
  /** Share of requests with a question. */
  asked: number;
  askedInterval: Interval | null;
  /** Share of requests to which a wrong default was applied, noticed or not. */
  wrong: number;
  wrongInterval: Interval | null;
  /** Share of requests answered with a wrong default. */
  wentOut: number;
  /** Share of applied defaults that were wrong; null where none was applied. */
  wrongOfApplied: number | null;
}

interface Sums {
  n: number;
  asked: number;
  applied: number;
  wrong: number;
  wentOut: number;
}

function sumsOf(played: readonly Played[]): Sums {
  const sums = { n: played.length, asked: 0, applied: 0, wrong: 0, wentOut: 0 };
  for (const one of played) {
    for (const key of ['asked', 'applied', 'wrong', 'wentOut'] as const) if (one[key]) sums[key]++;
  }
  return sums;
}

const shareOf = (worlds: readonly Sums[], key: 'asked' | 'wrong' | 'wentOut', of: 'n' | 'applied' = 'n') => {
  let [hits, all] = [0, 0];
  for (const world of worlds) {
    hits += world[key];
    all += world[of];
  }
  return all === 0 ? null : hits / all;
};

/** One cell from the worlds' requests that `fits` lets in; null where there are none. */
export function cellOf(worlds: readonly (readonly Played[])[], fits: (one: Played) => boolean): Cell | null {
  const sums = worlds.map((played) => sumsOf(played.filter(fits)));
  const n = sums.reduce((total, world) => total + world.n, 0);
  if (n === 0) return null;
  const groups = sums.map((world) => [world]);
  const interval = (key: 'asked' | 'wrong') => bootstrapInterval(groups, (drawn) => shareOf(drawn, key));
  return {
    n,
    asked: shareOf(sums, 'asked')!,
    askedInterval: interval('asked'),
    wrong: shareOf(sums, 'wrong')!,
    wrongInterval: interval('wrong'),
    wentOut: shareOf(sums, 'wentOut')!,
    wrongOfApplied: shareOf(sums, 'wrong', 'applied'),
  };
}

export interface Section {
  title: string;
  fits: (one: Played) => boolean;
}

const between = (low: number, high: number) => (value: number | null) =>
  value !== null && value >= low && value <= high;

const BANDS = [
  [1, 5],
  [6, 10],
  [11, 20],
  [21, 40],
  [41, 1e9],
] as const;

const bandName = (low: number, high: number) => (high === 1e9 ? `${low} on` : `${low} to ${high}`);

/** All requests; by how many there had been on the field; by how many there had been since a change; by kind of field. */
export const SECTIONS: readonly Section[] = [
  { title: 'all', fits: () => true },
  ...BANDS.map(([low, high]) => ({
    title: `request ${bandName(low, high)} on a field`,
    fits: ({ request }: Played) => request.sinceDrift === null && between(low, high)(request.nth),
  })),
  ...BANDS.map(([low, high]) => ({
    title: `request ${bandName(low, high)} after a change`,
    fits: ({ request }: Played) => between(low, high)(request.sinceDrift),
  })),
  ...(['one', 'split', 'open'] as const).map((kind) => ({
    title: { one: 'one preference', split: 'by kind of page', open: 'no common preference' }[kind],
    fits: ({ request }: Played) => request.kind === kind,
  })),
];
