import { PragauraError } from '../../common/index.ts';
import type { Action } from '../../router/index.ts';
import type { Example, Labelled, Observation } from '../types.ts';

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
 * by its words: ids such as "1" or "line-1" stand for other queries in other files; it is then `ungrouped`) and whether
 * it can be answered (yes, where it says what answers it).
 */
export function exampleOf(labelled: Labelled): Example {
  const { passages = [] } = labelled;
  const answerable = labelled.answerable ?? (saysWhatAnswers(labelled) ? true : undefined);
  const group = labelled.group ?? (passages.length > 0 ? documentOf(passages[0]!) : undefined);
  return {
    ...labelled,
    ...(answerable === undefined ? {} : { answerable }),
    ...(group === undefined ? { group: labelled.query || labelled.id, ungrouped: true } : { group }),
  };
}

/**
 * For what counts by document: throws INVALID_INPUT when examples name none. Each would pass for a document of its own,
 * and a promise about new documents would rest on documents that there are not. `why`: what documents are needed for.
 */
export function checkGrouped(
  examples: readonly Example[],
  file: string,
  why = 'the promise is about documents',
): void {
  const without = examples.filter(({ ungrouped }) => ungrouped);
  if (without.length === 0) return;
  throw new PragauraError(
    'INVALID_INPUT',
    `${without.length} of ${examples.length} labelled queries of ${file} name no document (first ` +
      `${JSON.stringify(without[0]!.id)}), and ${why}.`,
    {
      hint:
        'Give each line "group" or "passages", also where nothing answers it; or calibrate with ' +
        '--exchangeable questions, where queries are independent of each other.',
    },
  );
}

/**
 * The observations that a promise may be about. For a query with a history or filters the router withholds it
 * (`router/decision/restricted.ts`), so that such examples may neither set a threshold nor test one. Labels have no
 * deadline.
 */
export function unrestricted(observations: readonly Observation[]): Observation[] {
  return observations.filter(({ example }) => !isRestricted(example));
}

export function isRestricted({ history = [], filters }: Example): boolean {
  return history.length > 0 || filters !== undefined;
}

/** What labels contradict themselves with, in words; null when they do not. */
export function contradictionOf({
  answers = [],
  passages = [],
  grades,
  answerable,
  action,
  ...label
}: Labelled): string | null {
  if (grades !== undefined && grades.length !== passages.length) {
    return `${grades.length} grades for ${passages.length} passages`;
  }
  if (answerable === false && answers.length > 0) return 'answers, though "answerable" is false';
  if (answerable === false && saysWhatIsShown(label))
    return 'says what is right, though "answerable" is false';
  if (answerable === false && action === 'ANSWER') return '"action" is ANSWER, though "answerable" is false';
  return null;
}

/** Told of every example that is read, and in words where it stands. */
export type Look = (example: Example, where: string) => void;

/** Collects examples of a file; each id may occur once. */
export class ExampleList {
  readonly examples: Example[] = [];
  readonly #whereOf: (place: number) => string;
  readonly #look: Look | undefined;
  readonly #places = new Map<string, number>();

  /** `whereOf`: in words, what the places are that `add` is told. */
  constructor(whereOf: (place: number) => string, look?: Look) {
    this.#whereOf = whereOf;
    this.#look = look;
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
    const example = exampleOf(labelled);
    this.examples.push(example);
    this.#look?.(example, this.#whereOf(place));
  }
}

/** Has the query an answer that should be given? False also where the label wants a question back or silence; null: not said. */
export function answerableOf(labelled: Labelled): boolean | null {
  const { answerable, action } = labelled;
  if (action !== undefined && action !== 'ANSWER') return false;
  return answerable ?? (saysWhatAnswers(labelled) ? true : null);
}

export function saysWhatAnswers({ answers = [], passages = [], ...label }: Labelled): boolean {
  return answers.length > 0 || passages.length > 0 || saysWhatIsShown(label);
}

/** Whether a label says of what is shown, beyond the words of a span, what is right. */
export function saysWhatIsShown({ patterns, steps, verdict }: Partial<Labelled>): boolean {
  return patterns !== undefined || steps !== undefined || verdict !== undefined;
}

/** Whether an answer is judged by what a person would be shown of it, and not by the span that it is made around. */
export function isAboutShown(labelled: Labelled): boolean {
  const { answers = [], passages = [] } = labelled;
  if (answerableOf(labelled) === false) return false;
  return saysWhatIsShown(labelled) || (answers.length === 0 && passages.length > 0);
}

/**
 * The action that a label calls right: its "action"; where it has none, ANSWER for what says what answers it or is
 * answerable, ABSTAIN for what is not. Null: it does not say, and nothing is guessed.
 */
export function rightActionOf(labelled: Labelled): Action | null {
  if (labelled.action !== undefined) return labelled.action;
  const answerable = answerableOf(labelled);
  return answerable === null ? null : answerable ? 'ANSWER' : 'ABSTAIN';
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
    else if ((example.answers ?? []).length > 0 || saysWhatIsShown(example)) counts.answers++;
    else if ((example.passages ?? []).length > 0) counts.passagesOnly++;
    else counts.unlabelled++;
  }
  return counts;
}
