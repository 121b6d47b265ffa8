import { PragauraError } from '../../common/index.ts';
import type { Example } from '../types.ts';
import { questionOf, type Tie, tiesOf } from './components.ts';
import { NEAR_DUPLICATE, nearDuplicates } from './near-duplicates.ts';
import { UnionFind } from './union-find.ts';

/** Two examples of different lists that must not be in different lists, and why. */
interface Leak {
  a: { list: string; example: Example };
  b: { list: string; example: Example };
  kind: Tie['kind'];
  what: string;
}

/**
 * Checks that no two of the named lists share a group, a document or a near-duplicate question. Throws INVALID_INPUT
 * naming two examples that do, and how many examples of the second list there are with such a tie.
 */
export function assertDisjoint(
  lists: Readonly<Record<string, readonly Example[]>>,
  nearDuplicate: number = NEAR_DUPLICATE,
): void {
  const leaks = leaksBetween(lists, nearDuplicate);
  const [first] = leaks;
  if (first !== undefined) throw leaked(first, new Set(leaks.map(({ b }) => b.example)).size);
}

export interface Separated {
  /** What is left of the test examples. */
  test: Example[];
  /** Test examples that were left out, each counted under the first that holds. */
  dropped: { group: number; document: number; question: number };
}

/**
 * Test examples from a file of their own beside those that thresholds are fitted on. `shared` says what happens with
 * those that share a group, a document or a near-duplicate question with `dev`: `refuse` throws INVALID_INPUT naming
 * two, `drop` leaves them out of the test and counts them. Throws EMPTY_INPUT when none is left.
 */
export function separateTest(
  dev: readonly Example[],
  test: readonly Example[],
  shared: 'refuse' | 'drop',
  nearDuplicate: number = NEAR_DUPLICATE,
): Separated {
  const lists = { development: dev, test };
  if (shared === 'refuse') assertDisjoint(lists, nearDuplicate);
  const reasons = new Map<Example, Leak['kind']>();
  for (const { b, kind } of leaksBetween(lists, nearDuplicate)) {
    if (!reasons.has(b.example)) reasons.set(b.example, kind);
  }
  const dropped = { group: 0, document: 0, question: 0 };
  for (const kind of reasons.values()) dropped[kind]++;
  const left = test.filter((example) => !reasons.has(example));
  if (left.length > 0 || test.length === 0) return { test: left, dropped };
  throw new PragauraError(
    'EMPTY_INPUT',
    'Every test example shares something with the development examples.',
    {
      hint: 'Test on documents that thresholds were not fitted on.',
    },
  );
}

/** Every example with a tie to an earlier list, once for each kind of tie; groups before documents and questions. */
function leaksBetween(lists: Readonly<Record<string, readonly Example[]>>, nearDuplicate: number): Leak[] {
  const all = Object.entries(lists).flatMap(([list, examples]) =>
    examples.map((example) => ({ list, example })),
  );
  const groups: Leak[] = [];
  const documents: Leak[] = [];
  const first = new Map<string, (typeof all)[number]>();
  for (const b of all) {
    for (const { kind, key, words } of tiesOf(b.example)) {
      const a = first.get(key);
      if (a === undefined) first.set(key, b);
      else if (a.list !== b.list) {
        (kind === 'group' ? groups : documents).push({ a, b, kind, what: words });
      }
    }
  }
  return [...groups, ...documents, ...questionLeaks(all, nearDuplicate)];
}

/** Pairs that are alike themselves first; then what is tied to an earlier list over several questions. */
function questionLeaks(all: readonly Leak['a'][], nearDuplicate: number): Leak[] {
  const sets = new UnionFind(all.length);
  const leaks: Leak[] = [];
  const look = (i: number, j: number) => {
    const [a, b] = [all[i]!, all[j]!];
    if (a.list === b.list) return;
    const what = `(nearly) the same question, ${JSON.stringify(b.example.query)}`;
    leaks.push({ a, b, kind: 'question', what });
  };
  const questions = all.map(({ example }) => questionOf(example));
  for (const [i, j] of nearDuplicates(questions, nearDuplicate)) {
    look(i, j);
    sets.unite(i, j);
  }
  for (const [first, ...others] of sets.sets()) for (const other of others) look(first!, other);
  return leaks;
}

function leaked({ a, b, what }: Leak, examples: number): PragauraError {
  const name = ({ list, example }: Leak['a']) => `${JSON.stringify(example.id)} (${list})`;
  const more = examples > 1 ? ` ${examples} examples are concerned.` : '';
  return new PragauraError('INVALID_INPUT', `${name(a)} and ${name(b)} share ${what}.${more}`, {
    hint: 'What thresholds are fitted on must not be tested on: divide by document, and keep like questions together.',
  });
}
