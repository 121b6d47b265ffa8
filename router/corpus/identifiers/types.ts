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
  /**
   * Identifiers in `text` that are to be believed as such: their family occurs in the corpus, or their form is
   * unmistakable. In reading order, each once.
   */
  extract(text: string): Identifier[];
  /** True when some passage names `id` (canonical form). */
  has(id: string): boolean;
  /** In how many passages; 0 when unknown. */
  count(id: string): number;
  /** Up to `n` identifiers of the corpus that `id` may have been meant for, nearest first; same family only first. */
  nearest(id: string, n: number): string[];
}
