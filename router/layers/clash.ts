/** Whether two quotes answer one question differently, at the same time and under the same conditions. English. */
import { contentStems, mentionsIn } from '../../conversation/index.ts';
import { mayBeEqual, sameKind } from './kinds.ts';

/** What a passage says: its sentence, the answer in it, and what else tells what it is about. */
export interface Quote {
  sentence: string;
  answer: string;
  /** Title of the passage, and its text. */
  title: string;
  text: string;
  /** The models are sure that the passage is about what is asked, whatever words it says it in. */
  sure: boolean;
}

/** Least share of the question's words that a passage holds to be about what it asks. */
const TOPICAL = 0.6;
const LONGEST = 1_000;
/** Likeness of two sentences without their answers from which on they make one statement. */
const SAME_STATEMENT = 0.4;

/** An answer with this many parts is a list, which others may differ from and say nothing else. */
const LIST = /(?:[,;](?!\p{N})[^,;]*){2}/u;
/** Lines that lead elsewhere. */
const NAVIGATION =
  /^\W*(?:next|previous|prev|up|top|home|contents|index|see also|table of contents)\b\s*[:\]|>]|[»«→←]/i;
/** What makes a case of its own of what is said. */
const CASE = /\b(?:if|unless|otherwise|except|in case|provided that|as long as|by default|only when)\b/i;
/** What is to come is not what is. */
const TO_COME = /\b(?:will|going to|planned|expected to|forecast)\b/i;
/** A point in time that what is said holds for. */
const TIME =
  /\b(?:in|since|until|till|before|after|by|from|as of|during)\s+(?:(?:early|late|the year|[a-z]{3,9})\s+)?((?:1[0-9]|20)[0-9]{2})\b|\b(?:version|release)\s+([0-9][\w.]{0,10})|\bv([0-9]+\.[0-9][\w.]{0,10})/gi;
/** Options, variables and functions: what is said of one is not said of another. */
const PARAMETER =
  /(?<![\w-])(?:--?[A-Za-z][\w-]{0,40}|\$\w{1,40}|[A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,30}|\w{1,40}\(\))/g;

/**
 * Whether two quotes clash: both are about what the question asks and speak of something that it names, with answers of one
 * kind that differ, and nothing tells them apart that the question does not name: another time or version, what is and what
 * is to come, a case that one of them is limited to, another option or parameter. A line of navigation says nothing.
 */
export function clash(question: string, one: Quote, other: Quote): boolean {
  const asked = contentStems(question.slice(0, LONGEST));
  const named = contentStems(
    mentionsIn(question.slice(0, LONGEST))
      .flatMap(({ name, weak }) => (weak ? [] : [name]))
      .join(' '),
  );
  for (const { sentence, title, text, sure } of [one, other]) {
    if (NAVIGATION.test(sentence.slice(0, LONGEST))) return false;
    const topical = contentStems(`${title}\n${text}`);
    if (named.size > 0 && ![...named].some((stem) => topical.has(stem))) return false;
    if (sure) continue;
    const held = contentStems(sentence);
    if (asked.size === 0 || ![...asked].some((stem) => held.has(stem))) return false;
    if ([...asked].filter((stem) => topical.has(stem)).length < TOPICAL * asked.size) return false;
  }
  if (LIST.test(one.answer) || LIST.test(other.answer)) return false;
  const [mine, theirs] = [bare(one.answer, asked), bare(other.answer, asked)];
  if (!(sameKind(mine, theirs) && sameKind(theirs, mine))) return false;
  if (mayBeEqual(one, other)) return false;
  const [a, b] = [beside(one), beside(other)];
  for (const apartness of [CASE, TO_COME]) {
    if (!apartness.test(question) && apartness.test(a) !== apartness.test(b)) return false;
  }
  // Parts of one work seldom contradict each other; two states of one page say the same but for the answer.
  const [head, ...heads] = [one, other].map(({ title }) => title.split(' > ')[0]!.trim().toLowerCase());
  if (head !== '' && heads.includes(head!) && alike(contentStems(a), contentStems(b)) < SAME_STATEMENT) {
    return false;
  }
  return (
    !apart(timesIn(a, question), timesIn(b, question), true) &&
    !apart(parametersIn(a, question), parametersIn(b, question), false)
  );
}

/** An answer without what the question calls it: of "Which port …?" and "port 8118" the number. */
function bare(answer: string, asked: ReadonlySet<string>): string {
  const words = answer.trim().split(/\s+/);
  const first = words.findIndex((word) => [...contentStems(word)].every((stem) => !asked.has(stem)));
  return first < 0 ? answer : words.slice(first).join(' ');
}

/** A sentence without its answer, for the year that is asked for tells no two times apart, and what it says by the way. */
function beside({ sentence, answer }: Quote): string {
  return sentence
    .slice(0, LONGEST)
    .replace(answer, ' ')
    .replace(/\([^()]*\)/g, ' ');
}

/** Jaccard similarity, 0 for two empty sets. */
function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((stem) => b.has(stem)).length;
  return both === 0 ? 0 : both / (a.size + b.size - both);
}

/** Those that the question does not name. */
function timesIn(text: string, question: string): Set<string> {
  const times = Array.from(text.matchAll(TIME), ([, year, version, v]) => year ?? version ?? v!);
  return new Set(times.filter((time) => !question.includes(time)));
}

/** Those that the question does not name. */
function parametersIn(text: string, question: string): Set<string> {
  return new Set((text.match(PARAMETER) ?? []).filter((name) => !question.includes(name)));
}

/** Whether nothing is in both; `lone`: one side that names some and another that names none are apart too. */
function apart(a: ReadonlySet<string>, b: ReadonlySet<string>, lone: boolean): boolean {
  if (a.size === 0 || b.size === 0) return lone && a.size !== b.size;
  return ![...a].some((each) => b.has(each));
}
