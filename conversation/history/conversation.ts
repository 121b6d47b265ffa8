import { stretchOf } from '../../corpus/index.ts';
import { clarifiedQuestion, isQuestion } from './answers.ts';
import { completed } from './ellipsis.ts';
import { type Entity, Memory } from './memory.ts';
import { type Mention, mentionsIn, topicIn } from './mentions.ts';
import { quotedIn } from './questions.ts';
import { type Resolved, resolveReferences } from './resolve.ts';
import { genitive, tokensOf, withoutGenitive } from './tokens.ts';
import type { ClarifiedQuestion, RewriteReason, Turn } from './types.ts';
import { FUNCTION_WORDS, GENERIC_NOUNS } from './words.ts';

/** Turns that are read: the last ones, and the first two, which often say what it is all about. */
const RECENT = 40;
const MAX_TURN_CHARS = 2_000;

/** What a mention adds to an entity's presence. Chosen on the tuning half of CANARD dev. */
const WEIGHTS = { opening: 4, named: 1, meant: 1.2, ours: 0.35 };

const UNRESOLVED = { reasons: [], open: [], entities: [], named: false, phrases: [] };

/** A user's turn made to stand alone. */
interface Standing extends Resolved {
  reasons: RewriteReason[];
}

/** A conversation as far as it has been read: what it named, and the last question in full. */
export class Conversation {
  readonly #history: readonly Turn[];
  readonly #memory = new Memory();
  #announced: Entity | null = null;
  #last: { text: string; turn: number } | null = null;

  constructor(history: readonly Turn[]) {
    this.#history = history;
    const recent = Math.max(0, history.length - RECENT);
    for (let turn = 0; turn < Math.min(2, recent); turn++) this.#read(turn);
    for (let turn = recent; turn < history.length; turn++) this.#read(turn);
  }

  /**
   * What the conversation is about now, and the turn that said so last; `announced`: the user opened with its name.
   */
  topic(): { name: string; turn: number; announced: boolean } | null {
    const entity = this.#memory.topic(this.#history.length)?.entity;
    return entity === undefined ? null : { ...entity, announced: entity === this.#announced };
  }

  /** The user's words at `turn` (the query: as many as there are turns), references and omissions filled. */
  stand(text: string, turn: number): Standing {
    const clarified = clarifiedQuestion(text, this.#history, turn);
    const last = this.#last;
    if (clarified !== null) {
      const { values, question, questionTurn } = clarified;
      // Asked about one question of several, the turn says more than was asked about.
      const all = question === this.#history[questionTurn]!.text;
      const whole = composed(all && last?.turn === questionTurn ? last.text : question, clarified);
      // What we offered and the user refused is not what the question points at.
      if (values.length === 0) return { ...UNRESOLVED, text: whole };
      const resolved = resolveReferences(whole, this.#memory, turn);
      const reason: RewriteReason = { rule: 'ANSWER', from: text, to: values.join(', '), turn: questionTurn };
      return { ...resolved, reasons: [reason, ...resolved.reasons] };
    }
    const whole = last === null ? null : completed(text, last.text);
    if (whole === null) return resolveReferences(text, this.#memory, turn);
    const reason: RewriteReason = { rule: 'ELLIPSIS', from: text, to: whole, turn: last!.turn };
    const resolved = resolveReferences(whole, this.#memory, turn);
    return { ...resolved, reasons: [reason, ...resolved.reasons] };
  }

  #read(turn: number): void {
    const { role } = this.#history[turn]!;
    const text = this.#history[turn]!.text.slice(0, MAX_TURN_CHARS);
    const topic = role === 'user' && !this.#answers(text, turn) ? topicIn(text, turn === 0) : null;
    if (topic !== null) {
      const entity = this.#memory.note(topic, turn, turn === 0 ? WEIGHTS.opening : WEIGHTS.named);
      if (turn === 0) this.#announced = entity;
      return;
    }
    if (role === 'user') {
      const standing = this.stand(text, turn);
      for (const entity of standing.entities) this.#memory.touch(entity, turn, WEIGHTS.meant);
      if (standing.text !== text || isQuestion(text)) {
        this.#last = { text: standing.text, turn };
        this.#memory.asked(standing.text, turn);
      }
    }
    this.#note(text, turn, role === 'user' ? WEIGHTS.named : WEIGHTS.ours);
  }

  #answers(text: string, turn: number): boolean {
    return clarifiedQuestion(text, this.#history, turn) !== null;
  }

  #note(text: string, turn: number, weight: number): void {
    const tokens = tokensOf(text);
    for (const mention of mentionsIn(text)) {
      const entity = this.#memory.note(mention, turn, weight);
      for (const noun of nounsBeside(mention, tokens)) entity?.nouns.add(noun);
    }
  }
}

/** What a name is called where it stands: "the album Here I Am", "the Ceremonial Stomp tour". */
function nounsBeside({ start, end }: Mention, tokens: ReturnType<typeof tokensOf>): string[] {
  const before = tokens.find((token) => token.end <= start && start - token.end <= 2);
  const after = tokens.find((token) => token.start === end + 1);
  const nouns: string[] = [];
  if (before !== undefined && GENERIC_NOUNS.has(before.text)) nouns.push(before.text);
  if (after !== undefined && after.text === after.lower && !FUNCTION_WORDS.has(after.lower))
    nouns.push(after.lower);
  return nouns;
}

/**
 * The clarified question with its values in it, as it was without any: in the place of the word that we said is unknown or asked about ("What
 * does "it" refer to?") or of the noun that the value repeats ("the model", Model K3); otherwise set behind.
 */
function composed(question: string, { asked, values }: ClarifiedQuestion): string {
  if (values.length === 0) return question;
  const value = values.join(values.length > 2 ? ', ' : ' and ');
  const corrected = withoutUnknown(question, asked, value);
  if (corrected !== null) return corrected;
  const quoted = Array.from(asked.matchAll(/["“]([^"”]{1,80})["”]/g), ([, word]) => word!.toLowerCase());
  const tokens = tokensOf(question);
  const wanted = tokensOf(value).map(({ lower }) => lower);
  if (wanted.every((word) => tokens.some(({ lower }) => withoutGenitive(lower) === word))) return question;
  for (const [i, token] of tokens.entries()) {
    const bare = withoutGenitive(token.lower);
    const meant = quoted.includes(token.lower) || quoted.includes(bare);
    const repeated = !FUNCTION_WORDS.has(bare) && wanted.includes(bare) && values.length === 1;
    if (!meant && !repeated) continue;
    const named = wanted.includes(bare) || FUNCTION_WORDS.has(bare);
    if (!named) return `${question.slice(0, token.end)} (${value})${question.slice(token.end)}`;
    const before = tokens[i - 1];
    // "The model" becomes "Model K3", and "the plan" becomes "the family plan".
    const determined = /^(?:(?:the|an?|this|that|my|our)\s|\p{Lu}|\p{N})/u.test(value);
    const start =
      determined && before !== undefined && /^(?:the|a|an|this|that|my|our)$/.test(before.lower)
        ? before.start
        : token.start;
    const owner = bare !== token.lower || /^(?:his|its|their)$/.test(bare);
    return question.slice(0, start) + (owner ? genitive(value) : value) + question.slice(token.end);
  }
  let end = question.length;
  while (end > 0 && /[\s?!.]/.test(question[end - 1]!)) end -= 1;
  return `${question.slice(0, end)} (${value})${question.slice(end)}`;
}

/** What our own sentences say is unknown: `router/layers` and `conversation/clarify` word them. */
const UNKNOWN =
  /(?:^|\. )([^"“”.]{1,200}?) occurs? nowhere in|(?:do|does) not (?:know|have) ((?:["“][^"“”]{1,200}["”][, or]*)+)\. /i;

/** The value in the place of what does not exist; null where we said of nothing in the question that it does not. */
function withoutUnknown(question: string, asked: string, value: string): string | null {
  const [, plain, quoted] = UNKNOWN.exec(asked.slice(0, 1_000)) ?? [];
  const names = quoted === undefined ? (plain?.split(/, | and /) ?? []) : quotedIn(quoted);
  for (const name of names) {
    const place = stretchOf(question, name);
    if (place !== null) return question.slice(0, place.start) + value + question.slice(place.end);
  }
  return null;
}
