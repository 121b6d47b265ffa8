import { plainLine, table } from '../../common/index.ts';
import type { Calibration } from '../artifact/fit.ts';
import type { ActRow, ArtifactPool, CalibrationArtifact, Proportion, Realised } from '../artifact/schema.ts';
import { borrowedSentence } from '../artifact/sentences.ts';

const HEAD = [
  ...['act', 'examples', 'rung', 'of', 'tau', 'ask up to', 'more needed'],
  ...['test', 'answered', 'wrong of answered'],
];

/** The calibration as text: a row an act, what is promised, and how the score was fitted. */
export function renderCalibration(calibration: Calibration): string {
  const { artifact } = calibration;
  const rows = artifact.acts.map((row) => [
    row.act,
    sizeOf(artifact, row.own),
    row.rung,
    row.pool === null ? '–' : sizeOf(artifact, row.pool),
    number(row.tau),
    number(row.askUpTo),
    neededOf(artifact, row),
    String(row.test.coverage.of),
    ...realised(artifact, row.test),
  ]);
  const { test, pool } = artifact.global;
  const own = (artifact.target === 'coverage' ? pool.coverage : pool.risk)?.tau ?? null;
  rows.push([
    ...['all', sizeOf(artifact, pool), own === null ? 'none' : 'global', '–', number(own)],
    ...[number(pool.silence?.askUpTo ?? null), '', String(test.coverage.of), ...realised(artifact, test)],
  ]);
  const text = [
    table(HEAD, rows),
    '',
    ...legend(artifact),
    '',
    artifact.sentence,
    '',
    ...promises(artifact),
    '',
    ...scoreLines(calibration),
  ];
  return `${text.join('\n')}\n`;
}

function legend({ exchangeable }: CalibrationArtifact): string[] {
  return exchangeable === 'documents'
    ? [
        'examples: of the act, in so many documents, to set its threshold on; of: of the pool that the threshold was earned on;',
        'more needed: documents with the act, for a threshold of its own; test: examples; answered, wrong: what the thresholds came',
        'to there on average over documents, with 95 % intervals.',
      ]
    : [
        'examples: of the act, to set its threshold on; of: of the pool that the threshold was earned on; more needed: of the act,',
        'for a threshold of its own; test, answered, wrong: what the thresholds came to on the test split, with 95 % intervals.',
      ];
}

/** A sentence for each act with a threshold of its own or with none, one for all that borrow the same. */
function promises(artifact: CalibrationArtifact): string[] {
  const borrowed = new Map<string, ActRow[]>();
  const lines: string[] = [];
  for (const row of artifact.acts) {
    const borrows = row.tau !== null && row.rung !== 'act' && row.askRung === 'none';
    if (!borrows) lines.push(`${row.act}: ${row.sentence}`);
    else {
      const key = JSON.stringify(row.pool!.acts);
      borrowed.set(key, [...(borrowed.get(key) ?? []), row]);
    }
  }
  for (const rows of borrowed.values()) {
    const acts = rows.map(({ act }) => act);
    lines.push(borrowedSentence(artifact, acts, rows[0]!.pool!, rows[0]!.tau!));
  }
  return lines;
}

/** The artifact without what only programs need. */
export function summaryOf({ artifact, learned, surface }: Calibration) {
  const { target, level, delta, askLevel, sentence, acts, global, score, fit, splits, integrity } = artifact;
  const shown = ({ ties: _, ...split }: CalibrationArtifact['splits']['tune']) => split;
  return {
    schema: 'pragaura.calibration-summary/1' as const,
    hash: integrity,
    target,
    level,
    delta,
    askLevel,
    exchangeable: artifact.exchangeable,
    sentence,
    acts: acts.map((row) => ({
      act: row.act,
      rung: row.rung,
      n: examplesOf(artifact, row.pool ?? row.own),
      tau: row.tau,
      askUpTo: row.askUpTo,
      sentence: row.sentence,
      test: row.test,
    })),
    all: global.test,
    score,
    fit,
    learned,
    surface,
    splits: {
      ...splits,
      tune: shown(splits.tune),
      calibrate: shown(splits.calibrate),
      test: shown(splits.test),
    },
  };
}

/** What should be known and is no part of the table. */
export function notesOf({ artifact, unseen }: Calibration): string[] {
  const { splits, acts, fit } = artifact;
  const notes: string[] = [];
  for (const name of ['tune', 'calibrate', 'test'] as const) {
    const { examples, restricted, groups, documents, unlabelled, errors } = splits[name];
    const tied = documents === groups ? '' : ` (${documents} that share no document or question)`;
    const parts = [`${examples} examples of ${groups} groups${tied}`];
    if (unlabelled > 0) parts.push(`${unlabelled} without a label that says whether an answer is wrong`);
    if (errors > 0) parts.push(`${errors} that could not be decided`);
    if (restricted > 0)
      parts.push(`${restricted} with a history or filters left out, because nothing is promised for such`);
    notes.push(`${name}: ${parts.join(', ')}`);
  }
  const { groups, examples, ungrouped } = splits.calibrate;
  if (artifact.exchangeable === 'questions' && groups < examples) {
    notes.push(
      `Promises count the ${examples} examples of ${groups} groups as independent: where documents differ in difficulty ` +
        'they are broken more often than they say. Without --exchangeable questions they are about new documents.',
    );
  }
  if (artifact.exchangeable === 'questions' && ungrouped > 0) {
    notes.push(
      `${ungrouped} of the ${examples} examples to calibrate on name no document: how many are about one and the same is ` +
        'not known, and promises count them as independent.',
    );
  }
  if (artifact.score.kind === 'planner' && !unseen) {
    notes.push(
      `Take care: the promise holds only if the planner ${artifact.score.planner.slice(0, 12)} was not fitted on these ` +
        'labelled queries, which its file does not say.',
    );
  }
  if (splits.test.examples === 0)
    notes.push('Nothing is left to test on: what the thresholds come to is not known.');
  if (fit.tied !== null && fit.tied > 1) {
    notes.push(`${fit.tied} divisions of the weights do equally well; the most even of them was taken.`);
  }
  if (fit.samples !== null) {
    const { logLoss, standardError } = fit.samples;
    const { sampler } = artifact.validFor;
    const figures = `log loss ${logLoss.with.toFixed(4)} with, ${logLoss.without.toFixed(4)} without, standard error ${standardError.toFixed(4)}`;
    notes.push(
      sampler !== null
        ? `The score looks at ${sampler.count} answers of ${sampler.model} to each query (${figures}): "generate" and "serve" need it.`
        : `Answers of the language model do not pay on groups left out (${figures}): the score does without them.`,
    );
  }
  const none = acts.filter(({ tau }) => tau === null).map(({ act }) => act);
  if (none.length === acts.length)
    notes.push('No threshold reaches this level: with this calibration nothing is answered.');
  else if (none.length > 0)
    notes.push(`Never answered, because no threshold reaches the level: ${none.join(', ')}`);
  return notes;
}

function scoreLines({ artifact: { score, fit }, learned, surface }: Calibration): string[] {
  const areas = `AURC ${fit.aurc.toFixed(4)}, AUGRC ${fit.augrc.toFixed(4)}`;
  if (score.kind === 'formula') {
    const { alpha, beta, gamma } = score.weights;
    return [
      `U = ${alpha}*D + ${beta}*C + ${gamma}*(1-E), fitted on ${fit.examples} examples: ${areas}`,
      surfaceLine(surface!),
      ...(fit.temperatures === null ? [] : [temperaturesLine(fit.temperatures)]),
    ];
  }
  if (score.kind === 'planner') {
    return [
      `U = 1 - P(ANSWER) of the planner ${score.planner.slice(0, 12)}, on ${fit.examples} examples: ${areas}`,
    ];
  }
  const rows = learned!.coefficients.map(({ feature, weight, standardError, missing, missingError }) => [
    plainLine(feature),
    signed(weight),
    standardError.toFixed(3),
    missing === null ? '' : signed(missing),
    missingError === null ? '' : missingError.toFixed(3),
  ]);
  const { brier, logLoss } = learned!.quality;
  return [
    `U = 1 - P(right), fitted on ${fit.examples} examples of ${fit.groups} groups, ridge ${fit.ridge}, ` +
      `${score.isotonic === null ? 'no isotonic map (it would not help)' : 'with an isotonic map'}; on groups left out: ` +
      `${areas}, Brier ${brier.toFixed(4)}, log loss ${logLoss.toFixed(4)}`,
    '',
    table(['feature', 'log odds per sd', 'error', 'if missing', 'error'], rows),
  ];
}

function temperaturesLine({ used, ...fit }: NonNullable<CalibrationArtifact['fit']['temperatures']>): string {
  const change = (of: { without: number; with: number }) =>
    `${of.without.toFixed(4)} to ${of.with.toFixed(4)}`;
  return (
    `Temperatures ${fit.answer.toFixed(2)} (answer score) and ${fit.entailment.toFixed(2)} (entailment) ` +
    `${used ? 'are used' : 'are not used'}: on groups left out the log loss of E goes from ${change(fit.logLoss)}, AUGRC from ${change(fit.augrc)}`
  );
}

/** How much hangs on the weights; every point stands in the JSON. */
function surfaceLine(surface: NonNullable<Calibration['surface']>): string {
  const areas = surface.map(({ augrc }) => augrc);
  const [least, most] = [Math.min(...areas), Math.max(...areas)];
  const near = areas.filter((area) => area <= 1.01 * least).length;
  return (
    `Of ${areas.length} divisions of the weights ${near} have an AUGRC within 1 % of the least; ` +
    `the largest is ${most.toFixed(4)} (--json lists all)`
  );
}

function examplesOf({ target }: CalibrationArtifact, pool: ArtifactPool): number {
  return (target === 'coverage' ? pool.coverage : pool.risk)?.n ?? 0;
}

/** Examples, in so many documents where these count. */
function sizeOf(artifact: CalibrationArtifact, pool: ArtifactPool): string {
  const documents = (artifact.target === 'coverage' ? pool.coverage : pool.risk)?.documents ?? null;
  const n = examplesOf(artifact, pool);
  return documents === null ? String(n) : `${n} in ${documents.n}`;
}

function neededOf({ target }: CalibrationArtifact, { own }: ActRow): string {
  const needed = (target === 'coverage' ? own.coverage : own.risk)?.needed ?? null;
  if (needed === 0) return '';
  return needed === null ? 'no number' : String(needed);
}

function realised({ exchangeable }: CalibrationArtifact, test: Realised): [string, string] {
  const { coverage, risk } = exchangeable === 'documents' ? test.byDocument : test;
  return [proportion(coverage), proportion(risk)];
}

export function proportion({ value, low, high }: Pick<Proportion, 'value' | 'low' | 'high'>): string {
  return value === null ? '–' : `${value.toFixed(3)} [${low!.toFixed(3)}, ${high!.toFixed(3)}]`;
}

function number(value: number | null): string {
  return value === null ? '–' : value.toFixed(4);
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
}
