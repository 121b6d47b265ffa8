/** What a query asks the meaning of. English only. */

interface AskedTerm {
  /** As written, without articles and quotation marks. */
  text: string;
  /** The words say so ("define", "meaning of"); else only the form "What is a …?". */
  sure: boolean;
}

const MOST_WORDS = 8;
const MOST_CHARS = 400;
const SURE: readonly RegExp[] = [
  /^(?:please )?define (?:the (?:term|word) )?(.+)$/i,
  /^(?:please )?explain (?:the (?:term|word|concept of)|what is meant by) (.+)$/i,
  /^what (?:does|do) (?:the (?:term|word|acronym|abbreviation) )?(.+?) (?:mean|stand for|refer to)$/i,
  /^what is meant by (?:the (?:term|word) )?(.+)$/i,
  /^(?:what is |what's |give me )?(?:the |a )?(?:meaning|definition) of (?:the (?:term|word) )?(.+)$/i,
  /^(.+?) (?:definition|meaning)$/i,
];
const PLAIN =
  /^what(?:'s| is| are| was| were) (?!the |your |my |our |their |his |her |its |this |that |these |those )(.+)$/i;

/** No term, except in capitals ("IT"). */
const POINTING = /^(?:[Ii]t|[Tt]h(?:is|at|ese|ose|ey|em)|[Hh](?:e|im|er)|[Ss]he)$/;

/** Words behind "what is" that make no name of what follows. */
const NO_NAME =
  /^(?:it|he|she|they|new|wrong|happening|going|next|left|due|up|so|not|allowed|required|needed|included|covered|best|done|being|there|left|meant)\b/i;
/** A name of one thing has none of these inside. */
const INSIDE =
  /\b(?:for|from|with|between|that|which|who|when|where|if|and|or|than|used|made|called|known|is|are|was|were|do|does|did|can|should|must|will|has|have|had|the|in|on|at|by|to|about|your|my|our)\b/i;

/**
 * The term whose meaning a query asks for; null when it asks for something else. "What is the capital of France?" asks
 * for a thing's property and "What is included in the fee?" for facts: neither is about a word.
 */
export function termAsked(query: string): AskedTerm | null {
  const asked = query
    .slice(0, MOST_CHARS)
    .normalize('NFKC')
    .replace(/[\s\p{Cf}]+/gu, ' ')
    .replaceAll('’', "'")
    .trim()
    .replace(/^(?:(?:hi|hello|hey|please|so|and|ok|okay)\b,? ?)+/i, '')
    .replace(/[\s?!.…]+$/u, '');
  if (query.length > MOST_CHARS) return null;
  for (const pattern of SURE) {
    const term = bare(pattern.exec(asked)?.[1]);
    if (term !== null) return { text: term, sure: true };
  }
  const term = bare(PLAIN.exec(asked)?.[1]);
  return term === null || NO_NAME.test(term) || INSIDE.test(term) ? null : { text: term, sure: false };
}

function bare(text: string | undefined): string | null {
  if (text === undefined) return null;
  const term = text
    .replace(/^(?:an?|the) /i, '')
    .replace(/^["'“‘«]+|["'”’»]+$/gu, '')
    .trim();
  const words = term.split(' ').length;
  return words > MOST_WORDS || !/\p{L}/u.test(term) || POINTING.test(term) ? null : term;
}
