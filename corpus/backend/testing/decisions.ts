import { expect } from 'vitest';
import type { Router } from '../../../router/index.ts';

/** Documents that are small and differ, and what is asked of them: the last question has no answer there. */
export const FILES = {
  'lighthouse.md': '# The lighthouse\n\nThe lighthouse of Aldmere was built in 1874. It is 31 metres high.\n',
  'ferry.md': '# The ferry\n\nThe ferry leaves the harbour at seven. It costs four crowns.\n',
};
export const QUESTIONS = [
  'When was the lighthouse of Aldmere built?',
  'How high is the lighthouse?',
  'What does the ferry cost?',
  'Who painted the Night Watch?',
];

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
