import { documentOf } from '../labels/examples.ts';
import type { Example } from '../types.ts';
import { nearDuplicates, normaliseQuestion } from './near-duplicates.ts';
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

/** What an example may share with others; `key` is different for a group and a document of one name. */
export interface Tie {
  kind: 'group' | 'document' | 'question';
  key: string;
  words: string;
}

/** What holds an example to others whatever is asked: its group first, then its documents. */
export function tiesOf({ group, passages = [] }: Example): Tie[] {
  return [
    tie('group', group),
    ...[...new Set(passages.map(documentOf))].map((name) => tie('document', name)),
  ];
}

/** Examples with the same one ask the same, but for case, accents and punctuation. */
export function questionTieOf(example: Example): Tie {
  return {
    ...tie('question', normaliseQuestion(questionOf(example))),
    words: inWords('question', example.query),
  };
}

function tie(kind: Tie['kind'], name: string): Tie {
  return { kind, key: `${kind} ${name}`, words: inWords(kind, name) };
}

const inWords = (kind: Tie['kind'], name: string) => `the ${kind} ${JSON.stringify(name)}`;
