const CAUSAL =
  /\b(?:because|due to|owing to|thanks to|caus(?:e|es|ed|ing)|reasons?|therefore|thus|hence|consequently|as a result|result(?:s|ed|ing)? (?:in|from)|le(?:d|ads?|ading) to|in order to|so (?:that|as to)|since|attribut(?:ed|able) to|stem(?:s|med)? from|aris(?:es?|ing) from|contribut(?:es?|ed|ing) to|effects? of|purpose|prevent(?:s|ed|ing)?|allow(?:s|ed|ing)? \w+ to|enabl(?:es?|ed|ing)|to avoid|explain(?:s|ed)?|why|driven by|triggered|motivat\w+|intended to|aimed (?:at|to))\b/i;

/** Whether a sentence says why something is so or what it leads to. */
export function isCausal(sentence: string): boolean {
  return CAUSAL.test(sentence);
}

const STEP_MARK = /^\s{0,8}(?:\d{1,3}[.)]\s|[-*+•]\s|step \d)/i;
const IMPERATIVE =
  /^\s{0,8}(?:\d{1,3}[.)]\s+|[-*+•]\s+|step \d+[:.]?\s+)?(?:first,?\s+|then,?\s+|next,?\s+|finally,?\s+)?(?:add|apply|attach|avoid|boil|bring|build|call|change|check|choose|clean|click|close|combine|configure|connect|contact|copy|cover|create|cut|delete|disable|disconnect|do not|don't|download|drain|enable|ensure|enter|fill|find|follow|go to|heat|hold|insert|install|keep|let|log in|make|measure|mix|move|open|place|plug|pour|press|pull|push|put|remove|repeat|replace|report|restart|rinse|run|save|select|send|set|sign in|start|stir|stop|store|submit|switch|take|tap|test|tighten|turn|type|unplug|update|use|verify|wait|wash|wear|wipe|write)\b/i;
const MANNER =
  /\b(?:by (?:means of |\w+ing\b)|using|us(?:es?|ed) to|via|through the|steps?|procedure|process|method|technique|how to|you (?:can|must|should|need)|after (?:that|this)|first|then|finally|must be)\b/i;

/** Whether a sentence is a step, an instruction, or says by which means something is done. */
export function isProcedural(sentence: string): boolean {
  return STEP_MARK.test(sentence) || IMPERATIVE.test(sentence) || MANNER.test(sentence);
}

const COPULA =
  /\s(?:is|are|was|were)\s+(?:a|an|the|one of|any|defined|either)\s|\s(?:refers? to|means?|denotes?|stands? for|consists? of)\s/i;
const NAMED = /\b(?:called|known as|termed|referred to as|defined as|nicknamed|named)\s+([^.,;:()]{2,60})/gi;
const GLOSSARY = /^[\s*_#>-]{0,8}([^:.\n*_(]{2,60}?)[*_]{0,3}(?::[*_]{0,3}\s| [–—] )/;
const APPOSITION =
  /(?<![\p{L}\p{N}'-])(\p{Lu}[\p{L}\p{N}'-]{0,30}(?:\s\p{Lu}[\p{L}\p{N}'-]{0,30}){0,4}),\s(?:an?|the|one of)\s/gu;
/** `Full Name (FN)`: brackets hold what their neighbours stand for, and the other way round. */
const ACRONYM = /\s\((\p{Lu}[\p{Lu}\p{N}.-]{1,9})s?\)/gu;
/** The words before an acronym, at most as many as it has characters and at most so far back. */
const NAME_REACH = 80;
const PRONOUN = /^(?:it|this|that|these|those|they|he|she|which|there|here)$/i;
const BRACKETS = /\([^()]{0,200}\)/g;
const PLACED = /^(?:in|within|among|for|on|at|during|under|as|to|from|by|with|unlike|like|according)\s/i;
const NAMING =
  /^(?:the\s)?(?:words?|terms?|names?|phrases?|expressions?|prefix|suffix|acronyms?|abbreviations?)\s/i;
/** Characters of a sentence within which its subject must end, and the words that a subject may have. */
const MAX_SUBJECT = 160;
const MAX_SUBJECT_WORDS = 8;

/** What stands before the copula, without brackets, insertions and "In …,"; null when that is no short subject. */
function subjectOf(sentence: string): string | null {
  const start = sentence
    .slice(0, 2 * MAX_SUBJECT)
    .replace(BRACKETS, '')
    .slice(0, MAX_SUBJECT);
  const copula = COPULA.exec(start);
  if (copula === null) return null;
  const pieces = start.slice(0, copula.index).trim().split(/,\s*/);
  const subject = (PLACED.test(pieces[0]!) && pieces.length > 1 ? pieces[1]! : pieces[0]!)
    .replace(NAMING, '')
    .trim();
  if (subject === '' || subject.split(/\s+/).length > MAX_SUBJECT_WORDS) return null;
  return subject;
}

/**
 * What a sentence defines: the subjects of "X is a …", glossary entries "X: …", names after "called", appositions
 * "X, a …". `title` stands in where the subject is a pronoun. Empty when it defines nothing.
 */
export function definedIn(sentence: string, title: string): string[] {
  const defined: string[] = [];
  const subject = subjectOf(sentence);
  if (subject !== null) defined.push(PRONOUN.test(subject) ? title : subject);
  const entry = GLOSSARY.exec(sentence)?.[1];
  if (entry !== undefined) defined.push(entry);
  for (const match of sentence.matchAll(NAMED)) defined.push(match[1]!);
  for (const match of sentence.matchAll(APPOSITION)) defined.push(match[1]!);
  for (const match of sentence.matchAll(ACRONYM)) {
    const before = sentence.slice(Math.max(0, match.index - NAME_REACH), match.index).split(/[\s,;:()]+/);
    defined.push([...before.slice(-match[1]!.length), match[1]].join(' '));
  }
  return defined;
}
