/** What was found, before anything is made of it. */
import type { AskReport } from './ask.ts';
import type { BuiltReport } from './build.ts';
import type { SampleReport } from './sample.ts';
import type { TextReport } from './statistics.ts';

/** A backend at a size; `ended`: why there are no figures. */
export interface Measured {
  backend: string;
  shards: number;
  publishMs: number | null;
  ended: string | null;
  asked: (Omit<AskReport, 'ways'> & { ways: Record<keyof AskReport['ways'], WayReport> }) | null;
}

export interface WayReport extends Omit<AskReport['ways']['fused'], 'firstTen'> {
  /** Share of the embedded index's first ten that are among its own, as a mean; null where that was not asked. */
  overlap: number | null;
}

export interface SizeReport {
  wanted: number;
  text: TextReport;
  built: BuiltReport | null;
  /** Why there is no index of this size. */
  ended: string | null;
  backends: Measured[];
}

export interface Found {
  questions: number;
  sample: SampleReport;
  sizes: SizeReport[];
  /** One engine at one size, its index in so many shards. */
  shards: Measured[];
}
