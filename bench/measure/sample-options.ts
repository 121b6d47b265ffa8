import type { DatasetName } from '../datasets/index.ts';

/** What a measurement on a seeded sample of one set's queries is told. */
export interface SampleOptions {
  set: DatasetName;
  data: string;
  out: string;
  cache: string;
  titles: boolean;
  n: number;
}
