/** How an answer stands in a statement: "in 1903", "because it rained". */

const PREPOSITIONS = new Set(
  (
    'in on at by of to for from with about into onto over under after before during since until between among ' +
    'through near around circa within across against along behind below beneath beside beyond inside off ' +
    'outside per toward towards upon via without as'
  ).split(' '),
);

/** Words in small letters. */
export function isPreposition(word: string): boolean {
  return PREPOSITIONS.has(word);
}

const MONTHS =
  /\b(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b/;
const DAYS = /\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/;

/** `answer` with `preposition` before it unless it brings one of its own. */
export function withPreposition(preposition: string, answer: string): string {
  const first = firstWord(answer);
  return isPreposition(first) ? answer : `${preposition} ${answer}`;
}

/** A point in time as an adverbial: in 1903, on 5 May 1903, at noon, today. */
export function asTime(answer: string): string {
  const lower = answer.slice(0, 200).toLowerCase();
  const first = firstWord(lower);
  if (
    isPreposition(first) ||
    /^(when|while|every|each|once|today|yesterday|tomorrow|now|never|always|daily)$/.test(first)
  ) {
    return answer;
  }
  if (/^\d{1,2}:\d\d/.test(lower) || /^(noon|midnight|dawn|dusk)\b/.test(lower)) return `at ${answer}`;
  if (DAYS.test(lower)) return `on ${answer}`;
  if (MONTHS.test(lower)) return /\b\d{1,2}(st|nd|rd|th)?\b/.test(lower) ? `on ${answer}` : `in ${answer}`;
  if (/\d/.test(lower) || /century|decade|spring|summer|autumn|fall|winter/.test(lower))
    return `in ${answer}`;
  return answer;
}

/** A place as an adverbial. */
export function asPlace(answer: string): string {
  const first = firstWord(answer);
  return isPreposition(first) || /^(here|there|everywhere|nowhere|where)$/.test(first)
    ? answer
    : `in ${answer}`;
}

/** A reason as a clause or a phrase. */
export function asReason(answer: string): string {
  const first = firstWord(answer);
  return /^(because|due|to|for|so|since|as|thanks|owing|in)$/.test(first) ? answer : `because ${answer}`;
}

/** A manner: "by melting ice"; other answers stand as they are. */
export function asManner(answer: string): string {
  return /ing$/.test(firstWord(answer)) ? `by ${answer}` : answer;
}

/** Whether an answer affirms. */
export function isYes(answer: string): boolean {
  return /^(yes|true|correct)\b/.test(answer.slice(0, 10).toLowerCase());
}

/** Whether an answer denies: "no, it is not"; "No. 5" is a number. */
export function isNo(answer: string): boolean {
  return /^(no|not|false|never)\b(?!\. ?\d)/.test(answer.slice(0, 10).toLowerCase());
}

function firstWord(text: string): string {
  const end = text.indexOf(' ');
  return (end < 0 ? text : text.slice(0, end)).toLowerCase();
}
