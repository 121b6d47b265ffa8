import { withoutClocks } from '../../common/index.ts';

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
