/**
 * Something in a text that has the shape of an identifier. `groups`: its numbers without leading zeros, a letter
 * suffix being part of the last; of a pattern also its letters, in capitals. `start`/`end`: UTF-16 offsets.
 */
export interface Shape {
  family: string;
  groups: string[];
  /** What stood between family and number: "" (E1234), "-" (ADR-0012, also for _ and /), " " or "#". */
  joint: '' | '-' | ' ' | '#';
  /** A word that numbers something ("section"), a code ("ADR"), or a form that was declared ("INV-####-##"). */
  kind: 'word' | 'code' | 'pattern';
  /** The family was written in capitals. */
  capitals: boolean;
  /** Some group was written with leading zeros. */
  padded: boolean;
  /** The last of two groups ends a range: "RFC 7231-7235", "sections 3 to 5". */
  range: boolean;
  /** The numbers as written; of a pattern the whole. */
  written: string;
  start: number;
  end: number;
}

/** An identifier found in a text. `id`: canonical form, such as "ADR-0012"; `start`/`end`: UTF-16 offsets. */
export interface Identifier {
  id: string;
  /** What comes before the numbers, in canonical form, such as "ADR" or "section". */
  family: string;
  start: number;
  end: number;
}

/** The identifiers of a corpus. */
export interface IdentifierTable {
  /** How many different identifiers the corpus names. */
  readonly size: number;
  /** What its owner declared, and how many members of each the corpus names. */
  readonly declared: readonly { name: string; members: number }[];
  /**
   * Identifiers in `text` that are to be believed as such: they were declared, their family occurs in the corpus, or
   * their form is unmistakable. In reading order, each once.
   */
  extract(text: string): Identifier[];
  /** True when some passage names `id` (canonical form). */
  has(id: string): boolean;
  /** In how many passages; 0 when unknown. */
  count(id: string): number;
  /** Up to `n` identifiers of the corpus that `id` may have been meant for, nearest first; same family only first. */
  nearest(id: string, n: number): string[];
}
