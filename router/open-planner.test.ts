import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fittedPrior, underPrior } from './decision/index.ts';
import { openPlanner, priorIn } from './open-planner.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-prior-'));
afterAll(() => rm(folder, { recursive: true }));
const planner = await openPlanner(undefined);
const fitted = fittedPrior(planner);
const UTILITIES = { wrong: 2, question: 1, silence: 1 };

function decided(probabilities: typeof fitted, prior?: typeof fitted, hash = planner.hash) {
  const plan = { probabilities, utilities: UTILITIES, action: 'ANSWER', ...(prior && { prior }) };
  return JSON.stringify({ id: 'q', action: 'ANSWER', plan, versions: { planner: hash } });
}

function file(...lines: string[]): string {
  const name = path.join(folder, `${lines.length}.ndjson`);
  writeFileSync(name, lines.map((line) => `${line}\n`).join(''));
  return name;
}

describe('a prior out of a file of decisions', () => {
  const sure = { ANSWER: 0.98, ASK: 0.01, ABSTAIN: 0.01 };
  const unsure = { ANSWER: 0.02, ASK: 0.02, ABSTAIN: 0.96 };

  it('moves towards what the planner said of them, records of errors and of no planner passed over', async () => {
    const prior = await priorIn(
      file(
        decided(sure),
        decided(sure),
        decided(sure),
        decided(unsure),
        '{"id":"x","error":{}}',
        '{"plan":null}',
      ),
      planner,
    );
    expect(prior.ANSWER).toBeGreaterThan(prior.ABSTAIN);
    expect(prior.ANSWER + prior.ASK + prior.ABSTAIN).toBeCloseTo(1, 9);
  });

  it('is the same whatever prior the decisions were made under', async () => {
    const other = { ANSWER: 0.2, ASK: 0.2, ABSTAIN: 0.6 };
    const plain = await priorIn(file(decided(sure), decided(unsure)), planner);
    const shifted = await priorIn(
      file(...[sure, unsure].map((p) => decided(underPrior(p, fitted, other), other))),
      planner,
    );
    for (const action of ['ANSWER', 'ASK', 'ABSTAIN'] as const)
      expect(shifted[action]).toBeCloseTo(plain[action], 6);
  });

  it('is refused for other planners, for what is no decision, and for nothing', async () => {
    const other = file(decided(sure), decided(sure, undefined, 'f'.repeat(64)));
    await expect(priorIn(other, planner)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('line 2: another planner'),
    });
    await expect(priorIn(file('nonsense'), planner)).rejects.toMatchObject({
      message: expect.stringContaining('line 1'),
    });
    await expect(priorIn(file(), planner)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(priorIn(path.join(folder, 'none'), planner)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
