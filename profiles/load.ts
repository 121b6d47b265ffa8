/** Reads a folder of profiles. The only file of this room that touches the disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { canonicalHash, messageOf, PragauraError } from '../common/index.ts';
import { AllocationProfile, Budget, type CountedUnit, documentsOf } from './types.ts';
import { ACTS } from './vocabulary.ts';

/** Keys of a set: the acts and the baseline. */
const NAMES = ['UNIFORM', ...ACTS] as const;
type ProfileName = (typeof NAMES)[number];

export interface ProfileSet {
  readonly profiles: Readonly<Record<ProfileName, AllocationProfile>>;
  /** The default budget: what one query may spend at most. */
  readonly budget: Budget;
  /** sha256 in hex over everything that allocates, in canonical form; wording (`why`) and layout do not count. */
  readonly hash: string;
}

const BUDGET_FILE = 'budget.json';
const BudgetFile = Budget.extend({ schema: z.literal('pragaura.budget/1'), why: z.string() });

/** Its name in a folder of profiles: "not-a-question.json". */
export function fileOfProfile(name: ProfileName): string {
  return `${name.toLowerCase().replaceAll('_', '-')}.json`;
}

const OWN = 'or leave --profiles away to use the profiles that come with PragAURA.';

function misfit(
  path: string,
  field: string,
  problem: string,
  { fix = 'Mend the file', cause }: { fix?: string; cause?: unknown } = {},
): PragauraError {
  const where = field === '' ? path : `${path}, field "${field}"`;
  return new PragauraError('CONFIGURATION', `${where}: ${problem}`, { hint: `${fix}, ${OWN}`, cause });
}

function readRecord<T>(path: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw misfit(path, '', `cannot be read as JSON: ${messageOf(error)}`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw misfit(path, issue?.path.map(String).join('.') ?? '', issue?.message ?? 'does not fit', {
    cause: parsed.error,
  });
}

const AMOUNTS = {
  branches: 'docsScored',
  rerankDepth: 'rerankPairs',
  nliPairs: 'nliPairs',
  contextTokens: 'contextTokens',
} as const;

/** No act may take more than a query may spend; acts may take different amounts, whose mean is a matter of their mix. */
function checkAgainst(budget: Budget, name: ProfileName, profile: AllocationProfile, path: string): void {
  if (profile.act !== name) throw misfit(path, 'act', `is ${profile.act}, but the file is that of ${name}`);
  const retrieves = name !== 'NOT_A_QUESTION';
  for (const [field, unit] of Object.entries(AMOUNTS) as [keyof typeof AMOUNTS, CountedUnit][]) {
    const amount = field === 'branches' ? documentsOf(profile) : profile[field];
    const what = field === 'branches' ? `the k's add up to ${amount}` : `is ${amount}`;
    if (!retrieves && amount > 0) {
      throw misfit(path, field, `${what}, and what is no question may spend nothing`, { fix: 'Make it 0' });
    }
    if (amount > budget[unit]) {
      throw misfit(path, field, `${what}, more than the ${budget[unit]} of the budget`, {
        fix: `Lower it, raise ${unit} in ${BUDGET_FILE}, which is what one query may spend at most`,
      });
    }
  }
  if (retrieves && budget.docsScored > 0 && documentsOf(profile) === 0) {
    throw misfit(path, 'branches', "the k's add up to 0, with which nothing is ever found", {
      fix: 'Give a branch at least 1',
    });
  }
}

/**
 * A set out of a budget and one profile for each act. It is frozen. `pathOf` names what is wrong in errors. Throws
 * CONFIGURATION where a profile is another act's, takes more of a unit than the budget has, or grants no branch anything
 * (`NOT_A_QUESTION`: takes anything at all).
 */
export function profileSetOf(
  budget: Budget,
  profiles: ProfileSet['profiles'],
  pathOf: (name: ProfileName) => string = fileOfProfile,
): ProfileSet {
  for (const name of NAMES) checkAgainst(budget, name, profiles[name], pathOf(name));
  const allocating = NAMES.map((name) => ({ ...profiles[name], why: undefined }));
  return deepFreeze({ profiles, budget, hash: canonicalHash({ budget, allocating }) });
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
 * Throws CONFIGURATION, naming file and field, when a file is missing, is not JSON, has an unknown or missing field, or
 * belongs to no act; and what `profileSetOf` throws.
 */
export function loadProfiles(dir: string = defaultDir()): ProfileSet {
  let present: string[];
  try {
    present = readdirSync(dir);
  } catch (error) {
    throw misfit(dir, '', `cannot be read as a folder of profiles: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const expected = [BUDGET_FILE, ...NAMES.map(fileOfProfile)];
  const missing = expected.filter((file) => !present.includes(file));
  if (missing.length > 0) throw misfit(dir, '', `lacks ${missing.join(', ')}; a set of profiles is complete`);
  const strange = present.find((file) => file.endsWith('.json') && !expected.includes(file));
  if (strange !== undefined) throw misfit(join(dir, strange), '', 'is the profile of no act');

  const { schema: _, why: __, ...budget } = readRecord(join(dir, BUDGET_FILE), BudgetFile);
  const pathOf = (name: ProfileName) => join(dir, fileOfProfile(name));
  const read = NAMES.map((name) => [name, readRecord(pathOf(name), AllocationProfile)]);
  return profileSetOf(budget, Object.fromEntries(read), pathOf);
}
