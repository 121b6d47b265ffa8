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

/** Places (from 0) at which two runs differ once the clocks are taken out; a missing line differs. */
export function differingLines(a: readonly string[], b: readonly string[]): number[] {
  const differing: number[] = [];
  for (let place = 0; place < Math.max(a.length, b.length); place++) {
    const [one, other] = [a[place], b[place]];
    const same = one !== undefined && other !== undefined && withoutClocks(one) === withoutClocks(other);
    if (!same) differing.push(place);
  }
  return differing;
}
