import { describe, expect, it } from 'vitest';
import type { ActRow } from '../artifact/schema.ts';
import { testArtifact } from '../monitor/testing/artifact.ts';
import { promisedBy } from './promised.ts';

const found = {
  n: 100,
  k: 90,
  why: 'reached',
  needed: 0,
  silent: 10,
  delta: '1/20',
  documents: null,
} as const;
const everything: ActRow['pool'] = { acts: 'everything', silence: { ...found, askUpTo: 0.3 } };

describe('what an artifact promises', () => {
  it('is the bar of a pool, not what the acts that share it made of it', () => {
    const artifact = testArtifact({
      target: 'joint',
      askLevel: '0.1',
      acts: testArtifact().acts.map((row) => ({
        ...row,
        // Each act's bar is lifted to its own tau, where that lies above.
        ...(row.act === 'FACT' ? { tau: 0.6, askUpTo: 0.6 } : {}),
        ...(row.act === 'QUANTITY' ? { tau: 0.5, askUpTo: 0.5 } : {}),
        askRung: 'global' as const,
        pool: row.tau === null ? null : row.own,
        askPool: everything,
      })),
    });
    const { pools, ask } = promisedBy(artifact);
    expect(ask).toBe('0.1');
    expect(pools).toEqual([
      { acts: ['FACT'], tau: 0.6, askUpTo: null },
      { acts: 'everything', tau: null, askUpTo: 0.3 },
      { acts: ['QUANTITY'], tau: 0.5, askUpTo: null },
    ]);
  });
});
