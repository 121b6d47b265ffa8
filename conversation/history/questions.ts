/**
 * Our own questions: the wording that several rooms share, and what is read back from a history. `conversation/clarify`,
 * `router/layers` and `router/decision` word the others.
 */

import { list, quoted } from '../../common/index.ts';

const MAX_OPTION_WORDS = 12;
const MAX_OPTIONS = 8;

/** Asks whether a condition, in quotation marks, holds. Yes and no are replies to it. */
export function conditionQuestion(condition: string): string {
  return `The answer depends on this condition: ${condition}. Does it apply to you?`;
}

/** Longer questions are named by their first words, and a reply is then about the whole query. */
const MAX_PART = 400;

/**
 * A message about questions of a query that asks several. What is said of one is read back as an exchange about that one
 * alone.
 */
export function aboutParts(parts: readonly string[], message: string): string {
  const names = parts.map((part) => {
    const line = part.replace(/\s+/g, ' ').replace(/["“”]/g, "'").trim();
    return `"${line.length <= MAX_PART ? line : `${line.slice(0, MAX_PART - 1).trimEnd()}…`}"`;
  });
  const [last] = names.slice(-1);
  const all = names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
  return `Of your questions, ${all} ${names.length === 1 ? 'is' : 'are'} open. ${message}`;
}

/** The one question of several that a message of ours is about, and what it says of it; null for another message. */
export function partIn(asked: string): { part: string; message: string } | null {
  const match = /(?:^|\n)Of your questions, "([^"“”]{1,400})" is open\. /.exec(asked);
  if (match === null || match[1]!.endsWith('…')) return null;
  return { part: match[1]!, message: asked.slice(match.index + match[0].length) };
}

const CONDITION =
  /The answer depends on this condition: ["“](.{1,200}?)["”]\. Does it apply to you\?["”')\s]*$/i;

/** The condition that a question of ours asks about; null for another question. */
export function conditionIn(asked: string): string | null {
  return CONDITION.exec(asked.slice(-1_000))?.[1] ?? null;
}

/** What stands in quotation marks. */
const QUOTED = '["“]([^"“”]{1,200})["”]';
const DEPENDS = new RegExp(`\\bThe answer depends on ${QUOTED}\\. What is it\\b`, 'i');

/** Whether a question of ours asks for a piece that the answer depends on: "Norway", "I'm retired", "3 years". */
export function asksForPiece(asked: string): boolean {
  return DEPENDS.test(asked.slice(-1_000));
}

/** Ways in which we ask, with what is asked for: a word in them, or the name that `conversation/clarify` has for it. */
const WORDINGS: readonly (readonly [RegExp, string | null])[] = [
  [CONDITION, null],
  [DEPENDS, null],
  [/\. Which of these applies\b/i, 'condition'],
  [new RegExp(`\\bwh(?:at|o) does ${QUOTED} refer to\\b`, 'i'), null],
  [new RegExp(`${QUOTED} compared with what\\b`, 'i'), null],
  [new RegExp(`\\bwhat about ${QUOTED} do you want to know\\b`, 'i'), null],
  [new RegExp(`\\b(?:do|does) not (?:know|have) ${QUOTED}.* (?:Did|do) you mean\\b`, 'is'), null],
  [/(?:^|\. )([^"“”.,]{1,200}?)(?:, [^"“”.]{1,200}| and [^"“”.]{1,200})? occurs? nowhere in\b/i, null],
  [new RegExp(`\\bseveral meanings of ${QUOTED}\\. Which one\\b`, 'i'), null],
  [/\bDo you mean the one to do with\b/i, 'name'],
  [/\bWhich (?:one|of these) is it about\b/i, 'subject'],
  [/\bWhere should I look\b/i, 'where'],
  [/\bWhich one is meant\b/i, 'interpretation'],
  [new RegExp(`\\bwhat exactly do you want to know(?: about ${QUOTED})?\\?`, 'i'), 'question'],
  [/\bCan you say in more words what you want to know\?/i, 'question'],
  [/\bwhich (\p{L}[\p{L}\p{N} -]{0,60}?) do you mean\b/iu, null],
];

/** The variable that a question of ours asks for; null where the text is none of our questions. */
export function variableIn(asked: string): string | null {
  if (!isAsking(asked)) return null;
  const text = asked.slice(-2_000);
  for (const [pattern, name] of WORDINGS) {
    const match = pattern.exec(text);
    if (match !== null) return match[1] ?? name;
  }
  return null;
}

/** What the questions of `WORDINGS` open with that follow a statement, to the end of a message. */
const QUESTION =
  /(?:^|\s)(?:(?:Did|Do) you mean|Which (?:one|of these)|Where should I look|What do you mean by it|Does it apply|Wh(?:at|o) does|What exactly do you want)\b[\s\S]*\?\s*$/;

/** What a message of ours says before the question that it ends with; all of it without one. */
export function withoutQuestion(message: string): string {
  return message.replace(QUESTION, '').trim();
}

/** What a question of ours proposes before it asks: yes is a reply to it. */
export function proposal(value: string): string {
  return `Most often "${value}" was meant.`;
}

/** The same where nobody has said anything yet, and most of what was found lies in one part of the collection. */
export function proposedPlace(value: string, most: string): string {
  return `I would look in "${value}", where ${most}.`;
}

/** The value that a question of ours proposes; null where it proposes none. */
export function proposedIn(asked: string): string | null {
  return (
    /(?:^|[.\s])(?:Most often|I would look in) "([^"“”]{1,200})"/.exec(asked.slice(0, 1_000))?.[1] ?? null
  );
}

const STILL_OPEN = 'You were asked before, and it is still open.';

/** What we say in place of a question that was put before in the same conversation. A reply to it is one to that question. */
export function stillOpen(values: readonly string[]): string {
  const offered = values.length === 0 ? '' : ` Say ${list(values.map(quoted), 'or')}.`;
  return `${STILL_OPEN}${offered}`;
}

/** Whether a turn of ours is that. */
export function saysStillOpen(text: string): boolean {
  return text.slice(-2_000).includes(STILL_OPEN);
}

/** The values that a turn of ours offers for what is still open; empty for another turn. */
export function stillOffered(text: string): string[] {
  return saysStillOpen(text) ? quotedIn(text.slice(text.lastIndexOf(STILL_OPEN))).slice(0, MAX_OPTIONS) : [];
}

/** Whether a turn ends with a question. */
export function isAsking(text: string): boolean {
  return /\?["”')\s]*$/.test(text.slice(-200));
}

/** The choices that a question of ours offers, as they are written there; empty where it offers none. */
export function optionsIn(asked: string): string[] {
  const listed = Array.from(
    asked.slice(0, 4_000).matchAll(/^[ \t]*(?:[-*•]|\(?\d{1,2}[.)]|\(?[a-d]\))[ \t]+(\S.{0,120})$/gim),
    (match) => clean(match[1]!),
  );
  if (listed.length >= 2) return listed.slice(0, MAX_OPTIONS);
  const quoted = QUOTED_CHOICE.exec(asked.slice(-1_500))?.[1];
  if (quoted !== undefined) return quotedIn(quoted);
  const sentence = lastSentence(asked);
  const offered =
    /(?::|\b(?:did|do) you mean|\bbetween|\bis it|\bfor)\s+([^:]+?)\?["”')\s]*$/i.exec(sentence)?.[1] ?? '';
  const parts = offered.split(/\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+(?=[^,]*$)/i).map(clean);
  const options = parts.filter((part) => part !== '' && part.split(/\s+/).length <= MAX_OPTION_WORDS);
  const several = / or |,/.test(offered);
  return several || /\byou mean\b/i.test(sentence) ? options.slice(0, MAX_OPTIONS) : [];
}

/** What stands in quotation marks, in order. */
export function quotedIn(text: string): string[] {
  return Array.from(text.matchAll(/["“]([^"“”]{1,200})["”]/g), ([, words]) => words!);
}

/** A list of quoted values at the end of a question: `Which plan do you mean: "basic" or "family"?` */
const QUOTED_CHOICE =
  /(?::|\byou mean|\bto do with|\bbetween)\s+((?:["“][^"“”]{1,200}["”](?:,? or |,? and |, )?){1,8})\?["”')\s]*$/i;

function lastSentence(text: string): string {
  return /[^.!?\n]*\?["”')\s]*$/.exec(text.slice(-1_000))?.[0] ?? '';
}

function clean(option: string): string {
  return option.replace(/^["“'(\s]+|["”')\s.?;]+$/g, '');
}
