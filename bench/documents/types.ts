import type { Action, Decision, Query } from '../../router/index.ts';

/** Alternatives, of which one has to match; an alternative matches when every expression of it does. */
export type Accepted = readonly (readonly RegExp[])[];

export type Verdict = NonNullable<NonNullable<Decision['answer']>['verdict']>;

/** Which questions: `held` ones are never looked at while building. */
export type Half = 'open' | 'held';

export interface Question {
  id: string;
  query: string;
  /** Questions of one group (section, policy, page) lie in one half and are drawn together for intervals. */
  group: string;
  /** The act that it was written as; null where the set does not say. */
  act: string | null;
  /** What is special about it: misspelt, two in one, paraphrased, … */
  kind: string;
  /** What a person who knows the documents would do. */
  expect: Action;
  history?: NonNullable<Query['history']>;
  filters?: NonNullable<Query['filters']>;
  /** What the answer has to match; absent where the set has gold answers, or nothing answers. */
  accept?: Accepted;
  /** Of several questions in one: what has to match for each. */
  parts?: readonly Accepted[];
  /** Name of the page that it is about, where the set says. */
  page?: string;
  /** Text of places that answer. */
  anchors?: readonly string[];
  /** Each of them is right; absent where the question is no matter of yes or no. */
  verdicts?: readonly Verdict[];
  /** Answers by people, with which words are compared. */
  golds?: readonly string[];
}

/** Documents and the questions of one half about them. */
export interface Collection {
  name: string;
  /** In words, for the report. */
  about: string;
  half: Half;
  /** Whether questions say what they accept; else they have gold answers. */
  marked: boolean;
  /** Files and folders to index. */
  paths: readonly string[];
  questions: readonly Question[];
}
