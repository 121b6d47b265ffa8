import { PragauraError } from '../../errors.ts';
import type { ScoreKind } from '../artifact/fit.ts';
import type { CalibrationArtifact } from '../artifact/schema.ts';
import type { WrongRule } from '../labels/wrong.ts';
import { type Level, levelOf } from '../levels/level.ts';
import type { Exchangeable } from '../thresholds/types.ts';

/** What was asked for on the command line. */
interface Asked {
  dev: string;
  test: string | undefined;
  shared: 'refuse' | 'drop';
  target: CalibrationArtifact['target'];
  scope: CalibrationArtifact['scope'];
  exchangeable: Exchangeable;
  level: string;
  'ask-level': string | undefined;
  delta: string | undefined;
  score: ScoreKind;
  wrong: string;
  split: string | undefined;
  seed: number;
  cache: string;
  out: string;
  json: boolean;
}

export interface CalibrateSettings {
  dev: string;
  test: string | null;
  /** What happens with test examples that share something with --dev. */
  shared: 'refuse' | 'drop';
  target: CalibrationArtifact['target'];
  scope: CalibrationArtifact['scope'];
  exchangeable: Exchangeable;
  level: Level;
  /** Null for coverage. */
  delta: Level | null;
  /** Null unless joint. */
  ask: Level | null;
  kind: ScoreKind;
  rule: WrongRule;
  shares: { tune: number; calibrate: number; test: number };
  seed: number;
  cache: string;
  out: string;
  json: boolean;
}

/** The settings, checked before anything is opened. Throws USAGE, naming the option. */
export function settingsFrom(args: Asked): CalibrateSettings {
  const { target } = args;
  const askLevel = args['ask-level'];
  if (target === 'coverage' && args.delta !== undefined) {
    throw usage('--delta', 'is for --target risk and joint: coverage holds on average over calibrations.');
  }
  if (target !== 'joint' && askLevel !== undefined) throw usage('--ask-level', 'is for --target joint.');
  if (target === 'joint' && askLevel === undefined) {
    throw usage('--target joint', 'needs --ask-level, the most answerable queries that may end in silence.');
  }
  const { dev, test = null, shared, scope, exchangeable, seed, cache, out, json } = args;
  return {
    dev,
    test,
    shared,
    target,
    scope,
    exchangeable,
    level: levelOf('level', args.level),
    delta: target === 'coverage' ? null : levelOf('delta', args.delta ?? '0.1'),
    ask: askLevel === undefined ? null : levelOf('ask-level', askLevel),
    kind: args.score,
    rule: ruleFrom(args.wrong),
    shares: sharesFrom(args.split, test !== null),
    seed,
    cache,
    out,
    json,
  };
}

/** "em", or "f1:0.5". */
export function ruleFrom(text: string): WrongRule {
  if (text === 'em') return { kind: 'em' };
  if (text.startsWith('f1:')) return { kind: 'f1', least: levelOf('wrong', text.slice('f1:'.length)) };
  throw usage('--wrong', `is "em" or an F1 below which an answer is wrong, such as "f1:0.5", not "${text}".`);
}

function sharesFrom(text: string | undefined, testFile: boolean): CalibrateSettings['shares'] {
  const written = text ?? (testFile ? '50/50/0' : '40/40/20');
  const parts = written.split('/').map((part) => (/^\d+(\.\d+)?$/.test(part) ? Number(part) : Number.NaN));
  const [tune = Number.NaN, calibrate = Number.NaN, test = testFile ? 0 : Number.NaN] = parts;
  if (parts.length > 3 || !(tune > 0 && calibrate > 0 && test >= 0)) {
    throw usage('--split', `takes three parts such as 40/40/20, the first two above 0, not "${written}".`);
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
