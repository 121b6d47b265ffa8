interface Timed {
  ms?: unknown;
}

/** A decision's line without what a clock wrote into it: `timings`, `ms` of the receipt and its stages, `at` of a default's use. */
export function withoutClocks(line: string): string {
  const record = JSON.parse(line) as {
    timings?: unknown;
    receipt?: { spent?: Timed; stages?: Timed[] };
    defaults?: { at?: unknown }[];
  };
  delete record.timings;
  delete record.receipt?.spent?.ms;
  for (const stage of record.receipt?.stages ?? []) delete stage.ms;
  for (const use of record.defaults ?? []) delete use.at;
  return JSON.stringify(record);
}
