/**
 * How much of an answer its passage holds, word by word.
 *
 * The paper (section 4) defines the token support rate SCR(q) as the fraction of predicted-answer tokens that appear
 * in the retrieved context, and 1 - SCR as the unsupported rate. Of an extractive answer every token appears in its
 * passage, so that this is 1 by construction; what can be unsupported is the statement that the answer makes of the
 * question. We therefore count the content words of the claim, and the passage alone as the context: both are
 * stricter than the paper.
 */

/** English function words: they appear anywhere and support nothing. */
const FUNCTION_WORDS = new Set(
  (
    'a about after all also am an and any are as at be been before being both but by can could did do does doing ' +
    'during each for from had has have having he her hers him his how i if in into is it its may me might more most ' +
    'must my of on once only or other our out over own shall she should so some such than that the their ' +
    'them then there these they this those through to too under until up us very was we were what when where which ' +
    'while who whom whose why will with would you your'
  ).split(' '),
);

/** Share of the claim's content words (occurrences) that stand in the passage, in [0, 1]; null when it has none. */
export function supportOf(claim: string, passage: string): number | null {
  const words = wordsOf(claim).filter((word) => !FUNCTION_WORDS.has(word));
  if (words.length === 0) return null;
  const held = new Set(wordsOf(passage));
  return words.filter((word) => held.has(word)).length / words.length;
}

/** Runs of letters and digits in lower case, compatibility forms and accents folded. */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
