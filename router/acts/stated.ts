import { isStatement } from '../../scorers/index.ts';

/** What a text says is so. `about`: the words that the documents have to know for it to be about them. */
export interface Stated {
  /** Without "I heard that", "By the way". */
  text: string;
  about: string;
  /** It says that something is otherwise than it was, or gives it a value: what that is documents need not know yet. */
  changed: boolean;
}

const MOST_CHARS = 4_000;

/** Words before a statement that are none of it. Each ends where the statement begins. */
const LEADS =
  /^\s*(?:(?:by the way|btw|fyi|for your information|just so you know|just to let you know|note|please note|be aware|apparently|news|update|correction|actually|in fact|as of today|according to [^,.:;?!]{2,60})(?:\s+that\b|\s*[,:–-])|(?:i|we)(?:'ve| have)?(?: just)? (?:heard|read|learned|learnt|was told|were told|been told|saw)(?: (?:yesterday|today|somewhere))? that)\s+/i;

const CHANGED =
  'moved|changed|raised|lowered|increased|decreased|reduced|extended|shortened|postponed|delayed|shifted|rescheduled|brought forward|' +
  'abolished|cancelled|canceled|dropped|replaced|renamed|updated|revised|amended|revoked|repealed|lifted|waived|doubled|halved|cut|' +
  'suspended|withdrawn|introduced|reinstated|deprecated|removed|discontinued|gone up|gone down|risen|fallen|expired|closed|reopened|set';
const SINCE = 'just|now|recently|already|since|also|officially|again|temporarily|permanently';
/** "has been moved", "is now closed", "were raised". */
const HAPPENED = new RegExp(
  `\\s(?:has|have|had|was|were|is|are|got)(?:n't| not)?(?:\\s(?:${SINCE}))*(?:\\s(?:been|being))?(?:\\s(?:${SINCE}))*\\s(?:${CHANGED})\\b`,
  'i',
);
/** "went up to 50 crowns". */
const WENT = /\s(?:went (?:up|down)|rose|fell|dropped|moved|changed|increased|decreased)\s(?:to|from|by)\b/i;
/** "The board moved the deadline to …": what was changed stands behind the verb. */
const DID = new RegExp(
  `\\s(?:(?:has|have|had)(?:\\s(?:${SINCE}))*\\s)?(?:${CHANGED})\\s+((?:the|an?|all|its|their|every|both)\\s.+)$`,
  'i',
);
/** "is now 50 crowns", "are no longer accepted", "takes place in room 12 instead of room 5". */
const OTHERWISE =
  /\s(?:is|are|was|were|will be|has|have|can|may|must|costs?|takes?|opens?|closes?|begins?|starts?|ends?|isn't|aren't)\b(?=.*\b(?:now|no longer|any ?more|from now on|as of|instead of|since)\b)|(?<!\bfrom)\s(?:now|no longer)\s\p{Ll}{2,}(?:s|ed)\b/iu;
/** "is May 3", "are due on May 3", "costs 50 crowns": a value, which is what may be new. */
const VALUE =
  /\s(?:is|are|was|were|will be|costs?|takes?|lasts?|opens?|closes?|begins?|starts?|ends?)\s(?:(?:due|open|closed|valid)\s)?(?:(?:on|at|in|until|till|by|from|for)\s)?(?:\p{Sc}?\d|(?:january|february|march|april|may|june|july|august|september|october|november|december)\s\d|(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b)/iu;
/** Whoever speaks of themselves, of what cannot be told, or to somebody. */
const OF_ONESELF =
  /^(?:i|i'm|i've|i'd|i'll|we|we've|we're|my|our|you|your|me|it|it's|this|that|that's|he|she|please|let|let's|thanks|thank|hello|hi|hey|ok|okay|yes|no|sorry)\b/i;
/** What is no subject of a statement: it speaks to somebody or of oneself, goes on from something else, or is part of another. */
const NO_SUBJECT =
  /^(?:and|but|so|well|um|uh|because|as|now|right|then|there|here|don't|not|make|set|put|keep|let)\b|\b(?:i|me|my|we|us|our|you|your|u|that|which|who)\b/i;
const ASKS =
  /\?|\b(?:if|whether)\b|^(?:tell|say|show|give|find|check|verify|who|whom|whose|what|which|when|where|why|how|if|can|could|will|would|should|do|does|did|is|are|was|were|has|have)\b/i;

/**
 * What a text states of a third party, so that documents may bear it out or deny it; null where it states nothing of the
 * kind: what asks, orders, thanks, or tells of whoever speaks. English.
 */
export function statedIn(text: string): Stated | null {
  if (text.length > MOST_CHARS) return null;
  const plain = text.replaceAll('’', "'");
  const lead = LEADS.exec(plain)?.[0];
  const said = lead === undefined ? plain : capital(plain.slice(lead.length));
  if (ASKS.test(said) || OF_ONESELF.test(said)) return null;
  const about = changedIn(said);
  // A statement is told by its verb; where it says that something changed, the marks of a sentence may be missing.
  if (about !== null && !NO_SUBJECT.test(about)) return { text: said, about, changed: true };
  return isStatement(said) ? { text: said, about: said, changed: false } : null;
}

/** What is said to have changed; null where nothing is. */
function changedIn(said: string): string | null {
  const sentence = said.replace(/[.!…\s]+$/, '');
  const happened = HAPPENED.exec(sentence) ?? WENT.exec(sentence);
  const did = DID.exec(sentence);
  if (did !== null && (happened === null || did.index <= happened.index)) {
    return did[1]!.split(/\s(?:to|from|by|until|till|for|since|on)\s/i, 1)[0]!;
  }
  if (/^they\b/i.test(sentence)) return null;
  const at = (happened ?? OTHERWISE.exec(sentence) ?? VALUE.exec(sentence))?.index ?? -1;
  return at > 0 ? sentence.slice(0, at) : null;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
