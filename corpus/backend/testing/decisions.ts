import { expect } from 'vitest';
import type { Router } from '../../../router/index.ts';

/** Fails where a router over an engine decides otherwise than one over the folder, but for clocks and the hash of the index. */
export async function expectSameDecisions(
  embedded: Pick<Router, 'route'>,
  engined: Pick<Router, 'route'>,
  queries: readonly string[],
): Promise<void> {
  for (const query of queries) {
    const [wanted, { versions, timings: _, ...decision }] = [
      await embedded.route({ id: 'q', query }),
      await engined.route({ id: 'q', query }),
    ];
    const { versions: before, timings: __, receipt, ...rest } = wanted;
    expect({ ...decision, receipt: null }).toEqual({ ...rest, receipt: null });
    expect(decision.receipt.spent).toMatchObject({ ...receipt.spent, ms: expect.any(Number) });
    expect({ ...versions, index: '' }).toEqual({ ...before, index: '' });
    expect(versions.index).not.toBe(before.index);
  }
}
