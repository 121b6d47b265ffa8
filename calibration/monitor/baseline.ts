import type { CalibrationArtifact } from '../artifact/schema.ts';
import { ruleOf } from '../artifact/thresholds.ts';
import { answerableOf, exampleOf, isAboutShown } from '../labels/examples.ts';
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

/**
 * Judges an answer of the stream as the artifact's examples were judged. Null also where the label is about the very
 * words, and the answer is of a form that does not tell which these are.
 */
export function judgeOf(artifact: CalibrationArtifact): Judge {
  const rule = ruleOf(artifact);
  return ({ span, shown }, { correct: _, ...label }) => {
    const example = exampleOf({ ...label, query: label.query ?? '' });
    if (span === null && answerableOf(example) !== false && !isAboutShown(example)) return null;
    return isWrong(
      {
        schema: 'pragaura.observation/3',
        key: '',
        example,
        error: null,
        act: null,
        closed: null,
        features: null,
        sources: null,
        planning: null,
        candidate:
          span === null ? null : { text: span, claim: span, docId: '', passageId: '', support: null },
        shown,
        ranking: [],
        receipt: null,
      },
      rule,
    );
  };
}
