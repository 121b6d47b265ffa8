/** Reads a folder of profiles. The only file of this room that touches the disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { canonicalHash, messageOf, PragauraError } from '../common/index.ts';
import { AllocationProfile, Budget } from './types.ts';
import { ACTS, BRANCHES } from './vocabulary.ts';

/** Keys of a set: the acts and the baseline. */
const NAMES = ['UNIFORM', ...ACTS] as const;
type ProfileName = (typeof NAMES)[number];

export interface ProfileSet {
  readonly profiles: Readonly<Record<ProfileName, AllocationProfile>>;
  /** The default budget, which every profile divides. */
  readonly budget: Budget;
  /** sha256 in hex over everything that allocates, in canonical form; wording (`why`) and layout do not count. */
  readonly hash: string;
}

const BUDGET_FILE = 'budget.json';
const BudgetFile = Budget.extend({ schema: z.literal('pragaura.budget/1'), why: z.string() });

function fileOf(name: ProfileName): string {
  return `${name.toLowerCase().replaceAll('_', '-')}.json`;
}

function misfit(path: string, field: string, problem: string, cause?: unknown): PragauraError {
  const where = field === '' ? path : `${path}, field "${field}"`;
  return new PragauraError('CONFIGURATION', `${where}: ${problem}`, {
    hint: 'Mend the file, or leave --profiles away to use the profiles that come with PragAURA.',
    cause,
  });
}

function readRecord<T>(path: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw misfit(path, '', `cannot be read as JSON: ${messageOf(error)}`, error);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw misfit(path, issue?.path.map(String).join('.') ?? '', issue?.message ?? 'does not fit', parsed.error);
}

function checkAgainst(budget: Budget, name: ProfileName, profile: AllocationProfile, path: string): void {
  if (profile.act !== name) throw misfit(path, 'act', `is ${profile.act}, but the file is that of ${name}`);
  const limits = {
    rerankDepth: 'rerankPairs',
    nliPairs: 'nliPairs',
    contextTokens: 'contextTokens',
  } as const;
  const retrieves = name !== 'NOT_A_QUESTION';
  for (const [field, unit] of Object.entries(limits) as [keyof typeof limits, keyof Budget][]) {
    const limit = retrieves ? (budget[unit] ?? 0) : 0;
    if (profile[field] > limit) {
      throw misfit(path, field, `is ${profile[field]}, more than the ${limit} of the budget`);
    }
  }
  const sum = BRANCHES.reduce((total, branch) => total + profile.branches[branch], 0);
  const wanted = retrieves ? budget.docsScored : 0;
  if (sum !== wanted) {
    throw misfit(path, 'branches', `the k's add up to ${sum} and must add up to exactly ${wanted}`);
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}

function defaultDir(): string {
  return dirname(createRequire(import.meta.url).resolve(`#profiles/${BUDGET_FILE}`));
}

/**
 * The whole set from `dir` (default: the one that comes with the package): `budget.json`, `uniform.json` and one file
 * an act (`not-a-question.json`). Nothing is taken from elsewhere for what is missing. The set is frozen.
 * Throws CONFIGURATION, naming file and field, when a file is missing, is not JSON, has an unknown or missing field,
 * does not divide the budget exactly (`NOT_A_QUESTION`: divides nothing), or belongs to no act.
 */
export function loadProfiles(dir: string = defaultDir()): ProfileSet {
  let present: string[];
  try {
    present = readdirSync(dir);
  } catch (error) {
    throw misfit(dir, '', `cannot be read as a folder of profiles: ${messageOf(error)}`, error);
  }
  const expected = [BUDGET_FILE, ...NAMES.map(fileOf)];
  const missing = expected.filter((file) => !present.includes(file));
  if (missing.length > 0) throw misfit(dir, '', `lacks ${missing.join(', ')}; a set of profiles is complete`);
  const strange = present.find((file) => file.endsWith('.json') && !expected.includes(file));
  if (strange !== undefined) throw misfit(join(dir, strange), '', 'is the profile of no act');

  const { schema: _, why: __, ...budget } = readRecord(join(dir, BUDGET_FILE), BudgetFile);
  const profiles = {} as Record<ProfileName, AllocationProfile>;
  for (const name of NAMES) {
    const path = join(dir, fileOf(name));
    profiles[name] = readRecord(path, AllocationProfile);
    checkAgainst(budget, name, profiles[name], path);
  }
  const allocating = NAMES.map((name) => ({ ...profiles[name], why: undefined }));
  const hash = canonicalHash({ budget, allocating });
  return deepFreeze({ profiles, budget, hash });
}
