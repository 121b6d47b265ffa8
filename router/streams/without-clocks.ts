interface Timed {
  ms?: unknown;
}

/** A decision's line without what a clock wrote into it: `timings`, and `ms` of the receipt and its stages. */
export function withoutClocks(line: string): string {
  const record = JSON.parse(line) as {
    timings?: unknown;
    receipt?: { spent?: Timed; stages?: Timed[] };
  };
  delete record.timings;
  delete record.receipt?.spent?.ms;
  for (const stage of record.receipt?.stages ?? []) delete stage.ms;
  return JSON.stringify(record);
}
