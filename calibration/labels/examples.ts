import { PragauraError } from '../../errors.ts';
import type { Example, Labelled } from '../types.ts';

/**
 * The document that a docId or passageId belongs to: what stands before its last "#" and digits, which is where
 * passages of a document and paragraphs of an article are counted. Two ids of one document never differ by this; ids
 * that merely look so are taken for one document, which costs balance and never a leak.
 */
export function documentOf(passage: string): string {
  let end = passage.length;
  for (let at = end - 1; at > 0; at--) {
    const unit = passage.charCodeAt(at);
    if (unit >= 0x30 && unit <= 0x39) continue;
    if (unit !== 0x23 || at === end - 1) break;
    end = at;
  }
  return passage.slice(0, end);
}

/**
 * A labelled query with what it leaves open settled: its group (document of the first passage, else the query itself,
 * by its words: ids such as "1" or "line-1" stand for other queries in other files) and whether it can be answered
 * (yes, where it names answers or passages).
 */
export function exampleOf(labelled: Labelled): Example {
  const { answers = [], passages = [] } = labelled;
  const answerable = labelled.answerable ?? (answers.length > 0 || passages.length > 0 ? true : undefined);
  return {
    ...labelled,
    ...(answerable === undefined ? {} : { answerable }),
    group: labelled.group ?? (passages.length > 0 ? documentOf(passages[0]!) : labelled.query || labelled.id),
  };
}

/** What labels contradict themselves with, in words; null when they do not. */
export function contradictionOf({
  answers = [],
  passages = [],
  grades,
  answerable,
}: Labelled): string | null {
  if (grades !== undefined && grades.length !== passages.length) {
    return `${grades.length} grades for ${passages.length} passages`;
  }
  if (answerable === false && answers.length > 0) return 'answers, though "answerable" is false';
  return null;
}

/** Collects examples of a file; each id may occur once. */
export class ExampleList {
  readonly examples: Example[] = [];
  readonly #whereOf: (place: number) => string;
  readonly #places = new Map<string, number>();

  /** `whereOf`: in words, what the places are that `add` is told. */
  constructor(whereOf: (place: number) => string) {
    this.#whereOf = whereOf;
  }

  /** Throws INVALID_INPUT for an id that was there before. */
  add(labelled: Labelled, place: number): void {
    const before = this.#places.get(labelled.id);
    if (before !== undefined) {
      const [here, there] = [this.#whereOf(place), this.#whereOf(before)];
      const id = JSON.stringify(labelled.id);
      throw new PragauraError('INVALID_INPUT', `${here}: the id ${id} stands at ${there} already.`, {
        hint: 'Each labelled query needs an id of its own.',
      });
    }
    this.#places.set(labelled.id, place);
    this.examples.push(exampleOf(labelled));
  }
}

/** Has the query an answer that should be given? False also where the label wants a question back or silence; null: not said. */
export function answerableOf({ answers = [], passages = [], answerable, action }: Labelled): boolean | null {
  if (action !== undefined && action !== 'ANSWER') return false;
  return answerable ?? (answers.length > 0 || passages.length > 0 ? true : null);
}

/** How many examples say what; `unlabelled` ones say neither whether they can be answered nor with what. */
export interface LabelCounts {
  examples: number;
  answers: number;
  passagesOnly: number;
  unanswerable: number;
  unlabelled: number;
}

/** Counts labels: those that are missing are legal, and are reported. */
export function countLabels(examples: readonly Example[]): LabelCounts {
  const counts: LabelCounts = {
    examples: examples.length,
    answers: 0,
    passagesOnly: 0,
    unanswerable: 0,
    unlabelled: 0,
  };
  for (const example of examples) {
    if (answerableOf(example) === false) counts.unanswerable++;
    else if ((example.answers ?? []).length > 0) counts.answers++;
    else if ((example.passages ?? []).length > 0) counts.passagesOnly++;
    else counts.unlabelled++;
  }
  return counts;
}
