import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PragauraError } from '../common/index.ts';
import { ACTS, AllocationProfile, BRANCHES, documentsOf, loadProfiles, profileSetOf } from './index.ts';

const SHIPPED = join(import.meta.dirname, 'data');
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'profiles-'));
  cpSync(SHIPPED, dir, { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true }));

type Json = Record<string, unknown>;

function edit(file: string, change: (record: Json) => void): void {
  const record = JSON.parse(readFileSync(join(dir, file), 'utf8')) as Json;
  change(record);
  writeFileSync(join(dir, file), JSON.stringify(record));
}

/** Keys in alphabetical order at every depth. */
function sorted(record: Json): Json {
  const keys = Object.keys(record).sort();
  const inner = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? sorted(value as Json) : value;
  return Object.fromEntries(keys.map((key) => [key, inner(record[key])]));
}

function refusal(): PragauraError {
  try {
    loadProfiles(dir);
  } catch (error) {
    if (PragauraError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('the set was accepted');
}

/** The set is refused with CONFIGURATION and the message names all of `parts`. */
function expectRefusal(...parts: string[]): void {
  const error = refusal();
  expect(error.code).toBe('CONFIGURATION');
  for (const part of parts) expect(error.message).toContain(part);
}

describe('the profiles that come with the package', () => {
  it('divide one budget: the same amounts for every act, and the same left for the form of an answer', () => {
    const { profiles, budget } = loadProfiles();
    expect(budget).toEqual({ docsScored: 60, rerankPairs: 36, nliPairs: 30, contextTokens: 5120, ms: null });
    for (const act of [...ACTS, 'UNIFORM'] as const) {
      const profile = profiles[act];
      const retrieves = act !== 'NOT_A_QUESTION';
      expect(AllocationProfile.parse(profile)).toEqual(profile);
      expect(BRANCHES.reduce((sum, b) => sum + profile.branches[b], 0)).toBe(retrieves ? 60 : 0);
      expect([profile.rerankDepth, profile.nliPairs, profile.contextTokens]).toEqual(
        retrieves ? [20, 24, 4096] : [0, 0, 0],
      );
      expect(profile.why.length).toBeGreaterThan(40);
      expect(profile.genres.floor).toBeGreaterThan(0);
    }
  });

  it('give each special branch to the act that presupposes it', () => {
    const { profiles } = loadProfiles();
    const special = {
      definition: 'DEFINITION',
      quantity: 'QUANTITY',
      procedure: 'PROCEDURE',
      cause: 'EXPLANATION',
    } as const;
    for (const [branch, act] of Object.entries(special) as [keyof typeof special, (typeof ACTS)[number]][]) {
      const most = Math.max(...ACTS.map((a) => profiles[a].branches[branch]));
      expect(profiles[act].branches[branch]).toBe(most);
      expect(profiles.UNIFORM.branches[branch]).toBe(0);
    }
  });

  it('cannot be changed by whoever loaded them', () => {
    const { profiles } = loadProfiles();
    expect(() => Object.assign(profiles.FACT.branches, { lexical: 999 })).toThrow(TypeError);
    expect(() => profiles.FACT.degrade.push('cause')).toThrow(TypeError);
  });
});

describe('the hash', () => {
  it('is that of the content, not of layout, key order or wording', () => {
    edit('fact.json', (record) => {
      record.why = 'other words';
      const branches = record.branches as Json;
      record.branches = Object.fromEntries(Object.entries(branches).reverse());
    });
    expect(loadProfiles(dir).hash).toBe(loadProfiles().hash);
    expect(loadProfiles().hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('can be computed again from the files', () => {
    const content = (file: string) => {
      const { why: _, ...record } = JSON.parse(readFileSync(join(SHIPPED, file), 'utf8')) as Json;
      return record;
    };
    const { schema: _, ...budget } = content('budget.json');
    const names = ['UNIFORM', ...ACTS].map((name) => name.toLowerCase().replaceAll('_', '-'));
    const allocating = names.map((name) => sorted(content(`${name}.json`)));
    const bytes = JSON.stringify({ allocating, budget: sorted(budget) });
    expect(loadProfiles().hash).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('changes with any number and with the order of degradation', () => {
    edit('fact.json', (record) => Object.assign(record.branches as Json, { lexical: 27, dense: 33 }));
    const branches = loadProfiles(dir).hash;
    edit('opinion.json', (record) => (record.degrade as string[]).reverse());
    const degrade = loadProfiles(dir).hash;
    edit('budget.json', (record) => Object.assign(record, { ms: 900 }));
    const budget = loadProfiles(dir).hash;
    expect(new Set([loadProfiles().hash, branches, degrade, budget]).size).toBe(4);
  });
});

describe("a set of one's own", () => {
  it('replaces the whole set, its budget included', () => {
    edit('budget.json', (record) => Object.assign(record, { ms: 500, rerankPairs: 30 }));
    edit('fact.json', (record) => Object.assign(record, { rerankDepth: 30 }));
    const set = loadProfiles(dir);
    expect(set.budget.ms).toBe(500);
    expect(set.profiles.FACT.rerankDepth).toBe(30);
    expect(set.profiles.OPINION.rerankDepth).toBe(20);
  });

  it('may take of one act what another has more of, as long as no act takes more than a query may spend', () => {
    edit('budget.json', (record) => Object.assign(record, { docsScored: 90, rerankPairs: 46 }));
    edit('procedure.json', (record) => Object.assign(record.branches as Json, { procedure: 44 }));
    edit('fact.json', (record) => Object.assign(record, { rerankDepth: 30 }));
    edit('definition.json', (record) => Object.assign(record, { rerankDepth: 10, nliPairs: 0 }));
    const { profiles } = loadProfiles(dir);
    expect(documentsOf(profiles.PROCEDURE)).toBe(90);
    expect(documentsOf(profiles.FACT)).toBe(60);
    expect([profiles.FACT.rerankDepth, profiles.DEFINITION.rerankDepth]).toEqual([30, 10]);
    edit('procedure.json', (record) => Object.assign(record.branches as Json, { cause: 1 }));
    expectRefusal(join(dir, 'procedure.json'), 'add up to 91', 'the 90 of the budget');
    expect(refusal().hint).toMatch(/raise docsScored in budget\.json.*leave --profiles away/);
  });

  it('is refused when a file is missing, is no profile, or is no folder', () => {
    writeFileSync(join(dir, 'poetry.json'), '{}');
    expectRefusal('poetry.json');
    rmSync(join(dir, 'poetry.json'));
    rmSync(join(dir, 'opinion.json'));
    rmSync(join(dir, 'budget.json'));
    expectRefusal(dir, 'budget.json, opinion.json');
    cpSync(SHIPPED, dir, { recursive: true });
    writeFileSync(join(dir, 'fact.json'), '{"act": "FACT",');
    expectRefusal('fact.json', 'JSON');
    rmSync(dir, { recursive: true });
    expectRefusal(dir);
    writeFileSync(dir, 'a file');
    expectRefusal(dir);
  });

  it.each<[string, string, (record: Json) => void]>([
    ['an unknown field', 'lexcial', (r) => Object.assign(r.branches as Json, { lexcial: 1 })],
    ['an unknown top-level field', 'rerankdepth', (r) => Object.assign(r, { rerankdepth: 1 })],
    ['a missing branch', 'branches.cause', (r) => delete (r.branches as Json).cause],
    ['a missing field', 'nliPairs', (r) => delete r.nliPairs],
    ['a negative k', 'branches.dense', (r) => Object.assign(r.branches as Json, { dense: -2 })],
    ['a fractional k', 'branches.dense', (r) => Object.assign(r.branches as Json, { dense: 0.5 })],
    ['a number as text', 'branches.dense', (r) => Object.assign(r.branches as Json, { dense: '28' })],
    ['a sum above the budget', 'add up to 61', (r) => Object.assign(r.branches as Json, { cause: 1 })],
    ['no k at all', 'add up to 0', (r) => Object.assign(r.branches as Json, { lexical: 0, dense: 0 })],
    ['too deep a rerank', 'rerankDepth', (r) => Object.assign(r, { rerankDepth: 37 })],
    ['too many pairs', 'nliPairs', (r) => Object.assign(r, { nliPairs: 31 })],
    ['too long a context', 'contextTokens', (r) => Object.assign(r, { contextTokens: 5121 })],
    ['a share above one', 'genres.floor', (r) => Object.assign(r.genres as Json, { floor: 1.1 })],
    ['an unknown branch', 'degrade.0', (r) => Object.assign(r, { degrade: ['orama'] })],
    ['a branch named twice', 'degrade', (r) => Object.assign(r, { degrade: ['dense', 'dense'] })],
    ['no order of degradation', 'degrade', (r) => Object.assign(r, { degrade: [] })],
    ['another act', 'act', (r) => Object.assign(r, { act: 'OPINION' })],
    ['another schema', 'schema', (r) => Object.assign(r, { schema: 'pragaura.profile/2' })],
  ])('is refused for %s', (_, named, change) => {
    edit('fact.json', change);
    expectRefusal(join(dir, 'fact.json'), named);
  });

  it('is refused when the act that retrieves nothing spends something', () => {
    edit('not-a-question.json', (record) => Object.assign(record, { nliPairs: 1 }));
    expectRefusal('not-a-question.json', 'nliPairs');
  });

  it('can be put together without files, and is the same set', () => {
    const { budget, profiles, hash } = loadProfiles();
    expect(profileSetOf(budget, profiles).hash).toBe(hash);
    const greedy = { ...profiles, FACT: { ...profiles.FACT, nliPairs: 31 } };
    expect(() => profileSetOf(budget, greedy)).toThrow(
      /fact\.json, field "nliPairs": is 31, more than the 30/,
    );
  });

  it('is refused for a budget that is none', () => {
    edit('budget.json', (record) => Object.assign(record, { ms: 0 }));
    expectRefusal('budget.json', 'ms');
    edit('budget.json', (record) => Object.assign(record, { ms: null, gpuSeconds: 3 }));
    expectRefusal('budget.json', 'gpuSeconds');
  });

  it.each(['__proto__', 'constructor'])(
    'is refused for the key %s, which changes nothing elsewhere',
    (key) => {
      const path = join(dir, 'fact.json');
      const text = readFileSync(path, 'utf8');
      const planted = `{${JSON.stringify(key)}: {"polluted": true},`;
      writeFileSync(path, text.replace('{', planted));
      expectRefusal(path, key);
      writeFileSync(path, text.replace('"branches": {', `"branches": ${planted}`));
      expectRefusal(path, key);
      expect(({} as Json).polluted).toBeUndefined();
    },
  );
});
