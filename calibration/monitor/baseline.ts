import type { CalibrationArtifact } from '../artifact/schema.ts';
import { ruleOf } from '../artifact/thresholds.ts';
import { exampleOf } from '../labels/examples.ts';
import { isWrong } from '../labels/wrong.ts';
import { asNumber, parseLevel } from '../levels/level.ts';
import type { Judge } from './monitor.ts';
import type { Baseline, Counts } from './plan.ts';

/** What a stream of decisions under this artifact is held against. */
export function baselineOf(artifact: CalibrationArtifact): Baseline {
  // A promise by document is about a mean that counts documents alike; the stream is a mean over questions.
  const aboutQuestions = artifact.target !== 'coverage' && artifact.exchangeable === 'questions';
  const level = aboutQuestions ? asNumber(parseLevel(artifact.level)) : null;
  const used = new Set(artifact.acts.filter(({ tau }) => tau !== null).map(({ rung }) => rung));
  // Of all queries together something is promised where every act has its own threshold, or all have one.
  const promisedOfAll = used.size === 1 && (used.has('act') || used.has('global')) ? level : null;
  const countsOf = (
    { coverage, risk, byDocument }: CalibrationArtifact['global']['test'],
    failed: number,
    promisedRisk: number | null,
  ): Counts => ({
    n: coverage.of - failed,
    answered: coverage.k,
    judged: risk.of,
    wrong: risk.k,
    promisedRisk,
    byDocument:
      artifact.exchangeable === 'documents'
        ? { coverage: byDocument.coverage, risk: byDocument.risk, failed }
        : null,
  });
  return {
    hash: artifact.integrity,
    // A query that fails is a class of its own in the stream; on the test split its error counts as not answered.
    all: countsOf(artifact.global.test, artifact.splits.test.errors, promisedOfAll),
    acts: Object.fromEntries(
      artifact.acts
        .filter((row) => row.test.coverage.of > 0)
        // A promise is about the pool that the threshold was earned on, not about an act that borrows it.
        .map((row) => [row.act, countsOf(row.test, 0, row.rung === 'act' ? level : null)]),
    ),
  };
}

/** Judges an answer of the stream as the artifact's examples were judged. */
export function judgeOf(artifact: CalibrationArtifact): Judge {
  const rule = ruleOf(artifact);
  return ({ text, docId, passageId }, { correct: _, ...label }) =>
    isWrong(
      {
        schema: 'pragaura.observation/2',
        key: '',
        example: exampleOf({ ...label, query: label.query ?? '' }),
        error: null,
        act: null,
        closed: null,
        features: null,
        sources: null,
        planning: null,
        candidate: { text, claim: text, docId, passageId, support: null },
        ranking: [],
        receipt: null,
      },
      rule,
    );
}
