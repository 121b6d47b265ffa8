import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openPlanner } from '../../router/index.ts';
import { settings } from '../artifact/testing/calibration.ts';
import { observations } from '../artifact/testing/observations.ts';
import { NOTHING } from '../planner/testing/features.ts';
import { documentsAmong } from '../splits/documents.ts';
import type { Observation } from '../types.ts';
import { fitAndSave } from './fit-planner-run.ts';
import type { Parts } from './labelled-parts.ts';
import { renderPlanner, summaryOfPlanner } from './render-planner.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'pragaura-fit-planner-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** To be answered where E is above .5; `lie`: the other way round. */
function part(n: number, seed: number, lie = false): Observation[] {
  return observations(n, { seed }).map((each) => {
    const E = each.features!.E!;
    const action = E > 0.5 !== lie ? 'ANSWER' : 'ABSTAIN';
    const { answers: _, answerable: __, ...example } = each.example;
    return {
      ...each,
      example: { ...example, action },
      planning: { ...NOTHING, E },
      candidate: { ...each.candidate!, claim: 'It is so.' },
    };
  });
}

const parts = (lie = false): Parts => ({
  tune: part(120, 1),
  calibrate: part(100, 2, lie),
  test: part(100, 3, lie),
});

async function fitted(name: string, of: Parts, more: object = {}) {
  const file = path.join(dir, name);
  const documents = documentsAmong(Object.values(of).flatMap((own) => own.map(({ example }) => example)));
  const asked = {
    seed: 1,
    shares: { tune: 40, calibrate: 40, test: 20 },
    fit: { file, utilities: undefined },
    ...more,
  };
  const made = await fitAndSave(of, settings(), documents, asked, () => {});
  return { made, text: readFileSync(file, 'utf8') };
}

const own = await fitted('own.json', parts());

describe('a planner that is fitted and written', () => {
  it('opens, says what it was fitted on, and is better than what knows nothing of the documents', async () => {
    const { made, text } = own;
    const opened = await openPlanner(path.join(dir, 'own.json'));
    expect(opened).toEqual(made.model);
    const { validFor } = settings();
    expect(opened.fitted).toMatchObject({
      rows: 120,
      groups: 12,
      on: { index: validFor.index, models: validFor.models, budget: validFor.budget, seed: 1 },
    });
    expect(opened.fitted.on!.program).toMatch(/^[0-9a-f]{64}$/);
    expect(opened.fitted.on).not.toHaveProperty('decider');
    const accuracy = Object.fromEntries(
      made.figures.map(({ policy, figures }) => [policy, figures.accuracy.value]),
    );
    expect(accuracy['this planner']).toBeGreaterThan(0.95);
    expect(accuracy['always answer']).toBeLessThan(0.65);
    expect(text).not.toContain(made.file);
  });

  it('owes nothing to what it is calibrated and tested on', async () => {
    const other = await fitted('other.json', parts(true));
    expect(other.text).toBe(own.text);
    expect(other.made.planned.tune).toEqual(own.made.planned.tune);
    expect(other.made.figures[0]!.figures.accuracy.value).toBeLessThan(0.05);
    expect(renderPlanner(other.made)).toContain('does no better on the test part than: ');
  });

  it('owes something to what it is fitted on, and weighs what it is told to', async () => {
    const utilities = { wrong: 9, question: 1, silence: 1 };
    const file = path.join(dir, 'less.json');
    const less = { tune: part(110, 1), calibrate: [], test: [] };
    const { made } = await fitted('less.json', less, { fit: { file, utilities } });
    expect(made.model.trees).not.toEqual(own.made.model.trees);
    expect((await openPlanner(file)).utilities).toEqual(utilities);
    expect(renderPlanner(made)).toContain('Nothing is left to test on');
  });
});

describe('what is shown of it', () => {
  it('is how it was fitted, and each policy on the test part with precision and recall', () => {
    const { made } = own;
    const text = renderPlanner(made);
    expect(text).toContain('fitted on 120 queries of 12 documents (ANSWER ');
    expect(text).toContain('Test part, 100 queries of 10 documents: ANSWER ');
    for (const policy of ['this planner', 'shipped planner', 'provisional thresholds', 'always answer']) {
      expect(text).toMatch(new RegExp(`^${policy} +[01]\\.\\d{3} \\[`, 'm'));
      expect(text).toMatch(new RegExp(`^${policy}: ANSWER +\\d+ `, 'm'));
    }
    // Right nowhere, and so in no row.
    expect(text).not.toContain('this planner: ASK');
    expect(text).not.toContain('does no better');
    expect(text).toContain(`--decider planner --planner ${made.file}`);
    const summary = summaryOfPlanner(made);
    expect(summary).toMatchObject({ schema: 'pragaura.planner-summary/1', hash: made.model.hash });
    // Thousands of hashes are for programs.
    expect(summary.fitted.on).not.toHaveProperty('ties');
    expect(summary.test[0]!.figures.actions.ANSWER.precision.interval).not.toBeNull();
  });

  it('is that nothing foretells the action, where nothing does', async () => {
    const blind = parts().tune.map((each) => ({ ...each, planning: NOTHING }));
    const { made } = await fitted('p.json', { ...parts(), tune: blind });
    expect(renderPlanner(made)).toContain('Nothing that was measured foretells the action');
  });
});
