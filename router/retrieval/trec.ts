/** Smallest step between two scores of a run; they are written with as many digits. */
const STEP = 1e-8;
const DIGITS = 8;

/** White space and control characters: a run separates its fields by them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const UNSAFE = /[\s\u0000-\u001f\u007f-\u009f]/gu;

/** An id as one field of a TREC run: white space and control characters as `%XX`, everything else as it is. */
function trecField(id: string): string {
  return id.replace(UNSAFE, (char) =>
    Array.from(Buffer.from(char), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

export interface RankedPassage {
  docId: string;
  passageId: string;
  score: number;
}

/** What a line of a run is about: a document at the place of its best passage, or each passage. */
export type RunUnit = 'document' | 'passage';

/**
 * Lines `qid Q0 id rank score tag` for passages in their order.
 * Evaluation tools sort by score, so a score that is not below the one before it is written just below that.
 */
export function trecLines(
  queryId: string,
  ranked: readonly RankedPassage[],
  tag: string,
  unit: RunUnit,
): string {
  const seen = new Set<string>();
  const lines: string[] = [];
  let last = Number.POSITIVE_INFINITY;
  for (const { docId, passageId, score } of ranked) {
    const id = unit === 'document' ? docId : passageId;
    if (seen.has(id)) continue;
    seen.add(id);
    const written = Math.round(Math.min(score, last - STEP) / STEP) * STEP;
    last = written;
    lines.push(
      `${trecField(queryId)} Q0 ${trecField(id)} ${seen.size} ${written.toFixed(DIGITS)} ${trecField(tag)}\n`,
    );
  }
  return lines.join('');
}
