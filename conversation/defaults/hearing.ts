/** What a user's turn says about an earlier question of ours, or about a default that answered in its place. Pure. */
import { replaced, specified } from '../clarify/index.ts';
import { clarifiedQuestion, partIn, selfContained, type Turn } from '../history/index.ts';
import { overruledBy } from './resolve.ts';
import { sortedPairs } from './rows.ts';
import { sameValue } from './tally.ts';
import type { Conditions, DefaultsOverrule, OpenQuestion, Signal, VoteCast } from './types.ts';

/** A query as a turn of its conversation. */
export interface UserTurn {
  query: string;
  history: readonly Turn[];
  conditions?: Conditions | undefined;
  overrule?: DefaultsOverrule | undefined;
}

export interface Heard {
  about: OpenQuestion;
  signal: Signal;
  value: string;
  docId: string | null;
  instead: { value: string; docId: string | null } | null;
}

/** An objection to an answer that nobody waits longer for. */
const OBJECTION_MS = 86_400_000;
const REFUSAL = /^\W*(?:no|nope|neither|none|none of (?:them|these|those))\W*$/iu;
const OBJECTION =
  /^\W*(?:no|nope|not|wrong|incorrect|i (?:mean|meant)|(?:that|this|it)(?:['’]s| is| was)(?: not|n['’]t| wrong)|rather)\b/iu;

/** The user's question that the query follows, made to stand alone, and what was said to it; null where there is none. */
export function exchangeBefore(history: readonly Turn[]): { text: string; reply: string } | null {
  const at = history.findLastIndex(({ role }) => role === 'user');
  if (at < 0 || at === history.length - 1) return null;
  const reply = history
    .slice(at + 1)
    .map(({ text }) => text)
    .join('\n');
  const text = partIn(reply)?.part ?? history[at]!.text;
  return { text: selfContained(text, history.slice(0, at)).text, reply };
}

/**
 * The vote that a turn is. After a question of ours: the one value that it names (explicit_yes), or its refusal of the
 * value that we proposed (explicit_no); several values, none, or a new question are no vote. After a default was
 * applied: an objection or another value for the field in the query (explicit_no, with the option that it names), or,
 * within a day, anything else (implicit_ok). `reply`: our words before the query; `questions`: what was noted about
 * the question before that, newest first.
 */
export function heardIn(
  said: UserTurn,
  reply: string,
  questions: readonly OpenQuestion[],
  now: number,
): Heard | null {
  const shown = sameValue(reply);
  const asked = questions.find(({ kind, message }) => kind === 'asked' && shown.includes(sameValue(message)));
  if (asked !== undefined) return answerTo(asked, said);
  const own = said.conditions && JSON.stringify(sortedPairs(said.conditions));
  const latest = questions.find(
    ({ conditions }) => own === undefined || JSON.stringify(sortedPairs(conditions)) === own,
  );
  if (latest?.kind !== 'applied' || latest.value === null || now - latest.at > OBJECTION_MS) return null;
  return verdictOn(latest, latest.value, said);
}

function answerTo(about: OpenQuestion, { query, history }: UserTurn): Heard | null {
  const { value: proposed, options } = about;
  if (REFUSAL.test(query)) {
    const refused = proposed ?? (options.length === 1 ? options[0]!.value : null);
    return refused === null
      ? null
      : { about, signal: 'explicit_no', ...optionOf(about, refused), instead: null };
  }
  const values = clarifiedQuestion(query, history)?.values ?? [];
  const [value] = values;
  if (value === undefined || values.length > 1) return null;
  return { about, signal: 'explicit_yes', ...optionOf(about, value), instead: null };
}

function verdictOn(about: OpenQuestion, value: string, { query, overrule }: UserTurn): Heard | null {
  const applied = optionOf(about, value);
  const own = overruledBy(overrule, about.need.field);
  // "Ask me" and "apply none" say nothing of the value.
  if (own === null) return null;
  if (own !== undefined) {
    if (sameValue(own) === sameValue(applied.value)) return null;
    return { about, signal: 'explicit_no', ...applied, instead: optionOf(about, own) };
  }
  const other = onlyNamed(
    about.options.map((option) => option.value),
    query,
  );
  if (other !== null && sameValue(other) !== sameValue(applied.value))
    return { about, signal: 'explicit_no', ...applied, instead: optionOf(about, other) };
  if (!OBJECTION.test(query)) return { about, signal: 'implicit_ok', ...applied, instead: null };
  const words = sameValue(query);
  const named = about.options.filter(
    (option) =>
      sameValue(option.value) !== sameValue(applied.value) && words.includes(sameValue(option.value)),
  );
  return { about, signal: 'explicit_no', ...applied, instead: named.length === 1 ? named[0]! : null };
}

const LONGEST_REPLY = 400;

/** What stands around a value in "no, v1 please" and "look in v1" and says nothing else. */
const AROUND = /^(?:no|nope|not|wrong|i|mean|meant|rather|instead|please|try|take|look|in|at|the|one)$/;

/** The one value that is all that a turn names, "no, v1 please"; null where it names none, says more, or asks. */
export function onlyNamed(values: readonly string[], turn: string): string | null {
  const wordsOf = (text: string) =>
    sameValue(text)
      .split(/[^\p{L}\p{N}._+-]+/u)
      .map((word) => word.replace(/[.]+$/, ''))
      .filter((word) => word !== '' && !AROUND.test(word))
      .join(' ');
  const said = turn.length > LONGEST_REPLY || /\?\s*$/.test(turn) ? '' : wordsOf(turn);
  const named = said === '' ? [] : values.filter((value) => wordsOf(value) === said);
  return named.length === 1 ? named[0]! : null;
}

/**
 * The question before the query with what the user wants in place of the default that was applied to it; null where the vote
 * corrects none, or the query asks something of its own.
 */
export function corrected(
  { query, history, overrule }: UserTurn,
  vote: Pick<VoteCast, 'signal' | 'field' | 'scope' | 'instead'> | undefined,
): string | null {
  if (vote?.signal !== 'explicit_no' || vote.instead === null) return null;
  if (overrule !== undefined || /\?\s*$/.test(query)) return null;
  const { text } = exchangeBefore(history)!;
  const inPlace = vote.scope === '' && vote.field !== 'where';
  return inPlace ? replaced(text, vote.field, vote.instead) : specified(text, vote.instead);
}

/** A value as the question offered it, or as the user wrote it. */
function optionOf({ options }: OpenQuestion, value: string): { value: string; docId: string | null } {
  return options.find((option) => sameValue(option.value) === sameValue(value)) ?? { value, docId: null };
}
