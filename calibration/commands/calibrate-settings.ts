import path from 'node:path';
import { PragauraError } from '../../common/index.ts';
import { utilitiesFrom } from '../../router/commands/decision-options.ts';
import type { Utilities } from '../../router/index.ts';
import type { ScoreKind } from '../artifact/fit.ts';
import type { CalibrationArtifact } from '../artifact/schema.ts';
import type { WrongRule } from '../labels/wrong.ts';
import { type Level, levelOf } from '../levels/level.ts';
import type { Exchangeable } from '../thresholds/types.ts';
import type { FactualitySettings } from './factuality-run.ts';

/** What was asked for on the command line. */
interface Asked {
  dev: string;
  test: string | undefined;
  shared: 'refuse' | 'drop';
  target: CalibrationArtifact['target'] | undefined;
  scope: CalibrationArtifact['scope'];
  exchangeable: Exchangeable;
  level: string | undefined;
  'ask-level': string | undefined;
  delta: string | undefined;
  score: ScoreKind | undefined;
  wrong: string;
  generator?: string | undefined;
  samples?: number | undefined;
  'fit-planner'?: string | undefined;
  utilities?: string | undefined;
  split: string | undefined;
  seed: number;
  cache: string;
  out: string | undefined;
  json: boolean;
}

/** The thresholds that are wanted. */
export interface ThresholdSettings {
  target: CalibrationArtifact['target'];
  scope: CalibrationArtifact['scope'];
  level: Level;
  /** Null for coverage. */
  delta: Level | null;
  /** Null unless joint. */
  ask: Level | null;
  kind: ScoreKind;
  rule: WrongRule;
  out: string;
}

export interface CalibrateSettings {
  dev: string;
  test: string | null;
  /** What happens with test examples that share something with --dev. */
  shared: 'refuse' | 'drop';
  exchangeable: Exchangeable;
  shares: { tune: number; calibrate: number; test: number };
  seed: number;
  /** Null: a planner is fitted and no thresholds are set. */
  thresholds: ThresholdSettings | null;
  /** The planner that is to be fitted, and what mistakes cost (undefined: as by default); null: none is. */
  fit: { file: string; utilities: Utilities | undefined } | null;
  cache: string;
  json: boolean;
}

/** The settings, checked before anything is opened. Throws USAGE, naming the option. */
export function settingsFrom(args: Asked): CalibrateSettings {
  const { dev, test = null, shared, exchangeable, seed, cache, json } = args;
  const fit = fitFrom(args);
  const thresholds = thresholdsFrom(args);
  if (thresholds === null && fit === null) {
    throw new PragauraError('USAGE', 'What shall be promised? Say --target coverage, risk or joint.', {
      hint: 'Or --fit-planner FILE, for a planner without a promise. "pragaura calibrate --help" says more.',
    });
  }
  if (thresholds !== null && fit !== null && path.resolve(thresholds.out) === path.resolve(fit.file)) {
    throw usage('--fit-planner', 'and --out are two files, and name the same one.');
  }
  const { generator, samples } = args;
  if (generator !== undefined && thresholds?.kind !== 'learned') {
    throw usage('--generator', 'is for --score learned: no other score looks at its answers.');
  }
  if (samples !== undefined && generator === undefined) throw usage('--samples', 'needs --generator.');
  const shares = sharesFrom(args.split, test !== null, thresholds !== null);
  return { dev, test, shared, exchangeable, shares, seed, thresholds, fit, cache, json };
}

const NOT_FACTUALITY = [
  'index',
  'ask-level',
  'delta',
  'score',
  'fit-planner',
  'utilities',
  'generator',
  'samples',
] as const;

/** The settings of --target factuality, checked before anything is opened. Throws USAGE, naming the option. */
export function factualitySettingsFrom(
  args: Omit<Asked, 'target'> & { index?: string | undefined },
): FactualitySettings {
  const { dev, test = null, shared, scope, exchangeable, level, split, seed, out, json } = args;
  const idle = NOT_FACTUALITY.find((name) => args[name] !== undefined);
  if (idle !== undefined) throw usage(`--${idle}`, 'says nothing to --target factuality.');
  if (level === undefined)
    throw usage('--level', 'is missing: how often may a kept sentence be wrong? For example 0.1.');
  if (out === undefined) throw usage('--out', 'is missing: the file for the calibration.');
  const written = split ?? (test === null ? '70/30' : '100/0');
  const parts = written.split('/').map((part) => (/^\d+(\.\d+)?$/.test(part) ? Number(part) : Number.NaN));
  const [calibrate = Number.NaN, tested = Number.NaN] = parts;
  if (parts.length !== 2 || !(calibrate > 0 && tested >= 0) || (test !== null && tested > 0)) {
    throw usage('--split', `takes two parts such as 70/30, the second 0 with --test, not "${written}".`);
  }
  return {
    ...{ dev, test, shared, scope, exchangeable, seed, out, json },
    level: levelOf('level', level),
    shares: { calibrate, test: tested },
  };
}

function fitFrom({ 'fit-planner': file, utilities, target, score }: Asked): CalibrateSettings['fit'] {
  if (file === undefined) {
    if (utilities !== undefined) throw usage('--utilities', 'is for --fit-planner: they stand in its file.');
    return null;
  }
  if (target !== undefined && score !== undefined && score !== 'planner') {
    throw usage('--fit-planner', `is for --score planner, and --score ${score} asks for no planner.`);
  }
  return { file, utilities: utilities === undefined ? undefined : utilitiesFrom(utilities) };
}

const FOR_TARGET = ['level', 'ask-level', 'delta', 'score', 'out'] as const;

function thresholdsFrom(args: Asked): ThresholdSettings | null {
  const { target, scope, level, delta, score, wrong, out, 'ask-level': askLevel } = args;
  if (target === undefined) {
    const idle = FOR_TARGET.find((name) => args[name] !== undefined);
    if (idle !== undefined) throw usage(`--${idle}`, 'is for thresholds: say --target as well.');
    return null;
  }
  if (level === undefined) {
    throw usage('--level', 'is missing: how much of it? For example 0.8 for coverage, 0.1 for risk.');
  }
  if (out === undefined) throw usage('--out', 'is missing: the file for the calibration.');
  if (target === 'coverage' && delta !== undefined) {
    throw usage('--delta', 'is for --target risk and joint: coverage holds on average over calibrations.');
  }
  if (target !== 'joint' && askLevel !== undefined) throw usage('--ask-level', 'is for --target joint.');
  if (target === 'joint' && askLevel === undefined) {
    throw usage('--target joint', 'needs --ask-level, the most answerable queries that may end in silence.');
  }
  return {
    target,
    scope,
    level: levelOf('level', level),
    delta: target === 'coverage' ? null : levelOf('delta', delta ?? '0.1'),
    ask: askLevel === undefined ? null : levelOf('ask-level', askLevel),
    kind: score ?? (args['fit-planner'] === undefined ? 'formula' : 'planner'),
    rule: ruleFrom(wrong),
    out,
  };
}

/** "em", or "f1:0.5". */
export function ruleFrom(text: string): WrongRule {
  if (text === 'em') return { kind: 'em' };
  if (text.startsWith('f1:')) return { kind: 'f1', least: levelOf('wrong', text.slice('f1:'.length)) };
  throw usage('--wrong', `is "em" or an F1 below which an answer is wrong, such as "f1:0.5", not "${text}".`);
}

/** Where no thresholds are set, nothing need be kept for them. */
function sharesFrom(
  text: string | undefined,
  testFile: boolean,
  thresholds: boolean,
): CalibrateSettings['shares'] {
  const written = text ?? (testFile ? '50/50/0' : '40/40/20');
  const parts = written.split('/').map((part) => (/^\d+(\.\d+)?$/.test(part) ? Number(part) : Number.NaN));
  const [tune = Number.NaN, calibrate = Number.NaN, test = testFile ? 0 : Number.NaN] = parts;
  if (parts.length > 3 || !(tune > 0 && calibrate >= 0 && test >= 0) || (thresholds && calibrate === 0)) {
    const above = thresholds ? 'the first two' : 'the first';
    throw usage('--split', `takes three parts such as 40/40/20, ${above} above 0, not "${written}".`);
  }
  if (testFile && test > 0) {
    throw usage(
      '--split',
      `gives a part of --dev to testing, and --test a file: say ${tune}/${calibrate}/0.`,
    );
  }
  return { tune, calibrate, test };
}

function usage(option: string, what: string): PragauraError {
  return new PragauraError('USAGE', `${option} ${what}`, { hint: '"pragaura calibrate --help" says more.' });
}
