/** What a query asks the meaning of. English only. */

interface AskedTerm {
  /** As written, without articles and quotation marks. */
  text: string;
  /** The words say so ("define", "meaning of"); else only the form "What is a …?". */
  sure: boolean;
}

const MOST_WORDS = 8;
const MOST_CHARS = 400;

/** What stands before a question and is no part of it, taken off one by one: greetings, context, how one asks. */
const OPENINGS: readonly RegExp[] = [
  /^sorry if [^,]{1,60}, /i,
  /^(?:hi|hello|hey|please|kindly|so|and|but|well|ok|okay|sorry|excuse me|thanks|quick (?:one|question))\b[,:;!]? ?/i,
  /^(?:in (?:plain|simple|other|your own|a few|one|two|short) [^,]{1,30}|for the purposes? of [^,]{1,60}|under [^,]{1,40}), /i,
  /^(?:can|could|would|will) (?:you|u|we|i|someone|somebody|anyone|anybody) (?:please |kindly |mind )?/i,
  /^(?:does|do) (?:anyone|anybody|someone|you) (?:happen to )?know (?=what |the )/i,
  /^i (?:have no idea|do not know|don't know|want to know|would like to know|wonder|was wondering) (?=what |the )/i,
  /^i'd like to know (?=what |the )/i,
  /^tell(?:ing)? me (?=what |the )/i,
  /^(?:explain(?:ing)?|spell(?:ing)? out|clarify(?:ing)?|describe)(?: to me| for me)? (?=what |the (?:meaning|definition) )/i,
];
/** The same behind it. */
const CLOSINGS: readonly RegExp[] = [
  /,? (?:please|pls|exactly|actually|anyway|then|here|somewhere|to me|for me|(?:many )?thanks(?: in advance)?|thank you)$/i,
  /,? in (?:(?:plain|simple|other|your own|a few|one|two) (?:english|words?|terms|language|sentences?)|this (?:context|case|document|text)|general)$/i,
  /,? (?:like i'm \w+(?: years old)?|to (?:a|an|me as a) (?:beginner|child|layman|layperson|newcomer)|on page \w+|as (?:used|meant) (?:in|by) .{1,60})$/i,
];

/** Who may be the one that means something. */
const SPEAKER = '(?:you|we|they|people|one|it|others|the (?:text|document|author)s?|a (?:text|document))';
/** What follows is no certain thing. */
const NOT_POINTING = '(?!the |your |my |our |their |his |her |its |this |that |these |those )';
const sure = (pattern: string) => ({ pattern: new RegExp(`^${pattern}$`, 'i'), sure: true });
const perhaps = (pattern: string) => ({ pattern: new RegExp(`^${pattern}$`, 'i'), sure: false });
/** Forms of the question itself: the group is the term. */
const FORMS = [
  sure('define:? (.+)'),
  sure(
    'explain(?:ing)? (?:the (?:term|word|phrase|expression|concept of|notion of|meaning of) |what is meant by )(.+)',
  ),
  sure('what (?:does|do) (.+?) (?:mean|stand for|refer to|denote)'),
  sure("what(?: is|'s) (?:meant|understood) by (.+)"),
  sure(`what (?:do|does|would) ${SPEAKER} (?:mean|understand) by (.+)`),
  sure(`what (?:do|does) ${SPEAKER} mean when ${SPEAKER} (?:says?|writes?|speaks? of|talks? about) (.+)`),
  sure(`what does it mean when ${SPEAKER} says (.+)`),
  sure(`when ${SPEAKER} says? (.+?), what do(?:es)? ${SPEAKER} mean(?: by (?:it|that))?`),
  sure('what (.+?) (?:means|stands for|refers to)'),
  sure(`what ${SPEAKER} (?:means?|understands?) by (.+)`),
  sure(`how (?:would|do|does|should) ${SPEAKER} define (.+)`),
  sure('how (?:is|are) (.+?) defined'),
  sure(
    "(?:(?:what is|what's|give me|is there|do you have|have you got|i need|looking for|get|have) )?(?:the |an? )?(?:(?:exact|short|brief|quick|simple|official|precise) )?(?:meaning|definition) (?:of|for) (.+)",
  ),
  sure('looking for an? (?:\\w+ )?explanation of (?:the )?(?:term|word|concept of) (.+)'),
  sure("i (?:don't|do not) (?:understand|know|get) the (?:term|word|expression) (.+)"),
  sure('glossary entry (?:of|for) (.+)'),
  sure('(.+?) (?:definition|meaning)'),
  perhaps(`what(?: is|'s| are| was| were) ${NOT_POINTING}(.+)`),
  perhaps('what (?:sort|kind|type) of thing is (.+)'),
  perhaps('what (?:counts|qualifies) as (.+)'),
  perhaps('what is (?:considered|regarded as) (.+)'),
  perhaps(`what would ${SPEAKER} (?:say|call) (.+?)(?: is)?`),
  perhaps(`what ${NOT_POINTING}(.+?) (?:is|are)(?: supposed to be)?`),
  perhaps('explain(?:ing)? (.+)'),
  perhaps(`how (?:would|do|does|should) ${SPEAKER} explain (.+)`),
];

/** A full stop behind a longer word and before a capital; behind "Mr." and "B.I.C." a sentence goes on. */
const SENTENCE_END = /(?<=[?!…]["”»]?) (?=["“«\p{L}])|(?<=[\p{L}\p{N}]{4}["”»]?\.) (?=["“«\p{Lu}])/u;

/** Asks what was said before means; and what it points at there: something in quotation marks, or called a word. */
const WHAT_IS_THAT =
  /\bwhat (?:is|does|are|do) (?:it|this|that|they|one|those|these|the word|the term)(?: (?:mean|refer to|stand for|talking about))?$|\bwhat (?:it|this|that) (?:is|means|refers to)$|\bhow should i (?:read|understand|take) (?:it|this|that)(?: word| term)?$/i;
const QUOTED = /["“«]([^"“”«»]{1,80})["”»]/g;
const CALLED =
  /\b(?:word|term|expression|phrase|acronym|abbreviation) ([^,.;:"]{1,80}?)(?= (?:in|on|at|from|comes?|came|keeps?|is|was|appears?|turns?|everywhere|and|but|again|several|often)\b|[,.;:]|$)/i;
const HEARD =
  /\b(?:never heard of|mentioned|talking about|told me about) (?:an? )([^,.;:"]{1,80}?)(?= (?:in|on|at|from|to|this|last|yesterday|today|and|but|again)\b|[,.;:]|$)/i;

/** No term, except in capitals ("IT"). */
const POINTING = /^(?:[Ii]t|[Oo]ne|[Tt]h(?:is|at|ese|ose|ey|em)|[Hh](?:e|im|er)|[Ss]he)$/;

/** Words behind "what is" that make no name of what follows. */
const NO_NAME =
  /^(?:it|he|she|they|new|wrong|happening|going|next|left|due|up|so|not|allowed|required|needed|included|covered|best|done|being|there|left|meant|considered|how|why|what|i|we|you)\b/i;
/** A name of one thing has none of these inside. */
const INSIDE =
  /\b(?:for|from|with|between|that|which|who|when|where|if|and|or|than|used|made|called|known|is|are|was|were|do|does|did|can|should|must|will|has|have|had|the|in|on|at|by|to|about|your|my|our|i|you|me|it|this|off|percent)\b/i;

/**
 * The term whose meaning a query asks for; null when it asks for something else. "What is the capital of France?" asks
 * for a thing's property and "What is included in the fee?" for facts: neither is about a word. Of several sentences
 * one asks and the others may only tell.
 */
export function termAsked(query: string): AskedTerm | null {
  if (query.length > MOST_CHARS) return null;
  const asked = query
    .normalize('NFKC')
    .replace(/[\s\p{Cf}]+/gu, ' ')
    .replaceAll('’', "'")
    .trim();
  const sentences = asked.split(SENTENCE_END);
  const asking = sentences.filter((sentence) => sentence.includes('?'));
  if (asking.length > 1) return null;
  const found = (asking.length === 1 ? asking : sentences).flatMap((sentence) => formIn(sentence) ?? []);
  return found.length === 1 ? found[0]! : found.length === 0 ? pointedAt(asked) : null;
}

function formIn(sentence: string): AskedTerm | null {
  const core = coreOf(sentence);
  for (const { pattern, sure } of FORMS) {
    const term = bare(pattern.exec(core)?.[1]);
    if (term !== null && (sure || (!NO_NAME.test(term) && !INSIDE.test(term)))) return { text: term, sure };
  }
  return null;
}

/** The question itself, without what leads to it or follows it. */
function coreOf(sentence: string): string {
  let core = sentence.replace(/[\s?!.…]+$/u, '');
  for (let left = ''; left !== core; ) {
    left = core;
    for (const opening of OPENINGS) core = core.replace(opening, '');
    for (const closing of CLOSINGS) core = core.replace(closing, '');
  }
  return core
    .replace(/^whats\b/i, "what's")
    .replace(/^(what(?:'s)?) (?:exactly|actually|precisely|on earth|the heck)\b/i, '$1');
}

/** "The word escrow comes up everywhere. What is it?" */
function pointedAt(asked: string): AskedTerm | null {
  const text = asked.replace(/[\s?!.…]+$/u, '');
  if (!WHAT_IS_THAT.test(text)) return null;
  const quoted = Array.from(text.matchAll(QUOTED), ([, inside]) => inside);
  if (quoted.length > 1) return null;
  const called = bare(quoted[0] ?? CALLED.exec(text)?.[1]);
  if (called !== null) return { text: called, sure: true };
  const heard = bare(HEARD.exec(text)?.[1]);
  return heard === null || INSIDE.test(heard) ? null : { text: heard, sure: false };
}

function bare(text: string | undefined): string | null {
  if (text === undefined) return null;
  const term = text
    .replace(/^(?:an?|the) /i, '')
    .replace(/^(?:term|word|phrase|expression|acronym|abbreviation|concept of) (?=\S)/i, '')
    .replace(/^["'“‘«]+|["'”’»]+$/gu, '')
    .replace(/^(?:an?|the) /i, '')
    .trim();
  const words = term.split(' ').length;
  return words > MOST_WORDS || !/\p{L}/u.test(term) || POINTING.test(term) ? null : term;
}
