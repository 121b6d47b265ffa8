import { documentOf } from '../labels/examples.ts';
import type { Example } from '../types.ts';
import { nearDuplicates } from './near-duplicates.ts';
import { UnionFind } from './union-find.ts';

export interface Components {
  /** What must stay together, as places in the list of examples. */
  sets: number[][];
  /** Examples with near-duplicate questions, two and more, chained. */
  alike: number[][];
}

/** Examples that share their group, a document that holds their answer, or (nearly) their question, chained. */
export function componentsOf(examples: readonly Example[], threshold: number): Components {
  const sets = new UnionFind(examples.length);
  const first = new Map<string, number>();
  for (const [i, example] of examples.entries()) {
    for (const tie of tiesOf(example)) {
      const before = first.get(tie.key);
      if (before === undefined) first.set(tie.key, i);
      else sets.unite(before, i);
    }
  }
  const questions = examples.map(questionOf);
  const alike = new UnionFind(examples.length);
  for (const [a, b] of nearDuplicates(questions, threshold)) {
    alike.unite(a, b);
    sets.unite(a, b);
  }
  return { sets: sets.sets(), alike: alike.sets().filter(({ length }) => length > 1) };
}

/** What is asked, with the turns before it: "and then?" is another question in another conversation. */
export function questionOf({ query, history = [] }: Example): string {
  return [...history.map(({ text }) => text), query].join('\n');
}

/** What an example shares with others of its kind; `key` is different for a group and a document of one name. */
export function tiesOf({ group, passages = [] }: Example): { key: string; words: string }[] {
  return [
    { key: `group ${group}`, words: `the group ${JSON.stringify(group)}` },
    ...[...new Set(passages.map(documentOf))].map((document) => ({
      key: `document ${document}`,
      words: `the document ${JSON.stringify(document)}`,
    })),
  ];
}
