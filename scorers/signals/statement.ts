import {
  affirmed,
  afterRelative,
  BE,
  DETERMINERS,
  DO,
  followsDirectly,
  isAuxiliary,
  join,
  MODAL,
  mainVerb,
  NAMING,
  PREDICATES,
  predicate,
  SCALES,
  WH,
} from './grammar.ts';
import {
  asManner,
  asPlace,
  asReason,
  asTime,
  isNo,
  isPreposition,
  isYes,
  withPreposition,
} from './statement-answer.ts';
import { isBase, isFiniteVerb, isParticiple, past, thirdPerson } from './verbs.ts';

const MAX_QUESTION = 400;
const MAX_ANSWER = 400;

/**
 * The question with this answer as a claim: `toStatement('Who wrote Dune?', 'Frank Herbert')` is
 * "Frank Herbert wrote Dune." By rules over English question forms; where none applies the claim is
 * 'The answer to "…" is ….' A question that is answered by yes or no becomes its own statement (negated by an answer
 * that begins with "no"). Time linear in the question; what goes beyond 400 characters of either part is cut.
 */
export function toStatement(question: string, answer: string): string {
  const asked = clean(question.slice(0, MAX_QUESTION)).replace(/[?!.…\s]+$/u, '');
  const given = clean(answer.slice(0, MAX_ANSWER)).replace(/[.;,\s]+$/u, '');
  const tokens = asked.split(' ').filter((token) => token !== '');
  if (tokens.length === 0) return finish(given);
  if (/\.\s*$/.test(question.slice(0, MAX_QUESTION)) && isStatement(question)) return finish(asked);
  const claim = question.length > MAX_QUESTION ? null : (inClauses(tokens, given) ?? inPlace(tokens, given));
  return finish(claim ?? `The answer to "${asked}" is ${given}`);
}

/** "Can you tell me when …" asks when. */
const POLITE = /^(?:can|could|will|would) (?:you|anyone|somebody|someone) |^(?:do|does) (?:you|anyone) know /;

/** "Should I use dpkg or apt?" asks which. */
const ALTERNATIVES = /^should (?:i|we|one) .{1,200}? or (?!not\b|so\b)/;

/** Whether a question begins with an auxiliary, so that its answer is yes or no: "Is it allowed to …?" */
export function isYesNoQuestion(question: string): boolean {
  const asked = clean(question.slice(0, MAX_QUESTION)).toLowerCase();
  if (!isAuxiliary(affirmed(asked.split(' ', 1)[0]!)) || ALTERNATIVES.test(asked)) return false;
  return !(POLITE.test(asked) && asked.split(/[^a-z]+/).some((word) => WH.has(word)));
}

/** Orders, wishes and courtesies, and whoever speaks of themselves: nothing that documents bear out. */
const NO_STATEMENT =
  /^(?:i|i'm|i've|i'd|i'll|we|we're|you|you're|my|our|your|please|let|let's|thanks|thank|hello|hi|hey|ok|okay|yes|no|well|sorry|bye|tell|give|show|list|name|define|explain|describe|compare|verify|check|find|summarize|translate|write|make|don't|do|never|always|just|good|nice|great|that's|this|that|these|those|it|it's|he|she|they|there)\b/;

/**
 * Whether a text states something of a third party, with a subject and a finite verb, so that documents may bear it out
 * or deny it: "Retention has been changed to 30 days." By its closing full stop, or a capital in front and an auxiliary;
 * English.
 */
export function isStatement(text: string): boolean {
  const said = clean(text.slice(0, MAX_QUESTION));
  const lower = said.toLowerCase();
  const words = lower.replace(/[.!…]+$/, '').split(' ');
  if (words.length < 3 || said.includes('?') || NO_STATEMENT.test(lower) || WH.has(words[0]!)) return false;
  if (isAuxiliary(affirmed(words[0]!))) return false;
  const closed = /\.["”’')]*$/.test(text.slice(-MAX_QUESTION).trimEnd());
  const capital = /^["“']?\p{Lu}/u.test(said);
  const verb = words.findIndex((word, i) => {
    if (i === 0 || i === words.length - 1 || DETERMINERS.has(words[i - 1]!)) return false;
    if (isAuxiliary(affirmed(word))) return true;
    return (
      closed && !isPreposition(words[i - 1]!) && (isFiniteVerb(word) || (capital && isPresent(words, i)))
    );
  });
  const opened = capital && !words.some((word) => WH.has(word));
  return verb > 0 && (closed || opened) && !isPreposition(words[verb - 1]!);
}

/** A word that no list of verbs has to know: "Privoxy listens on …", "The daemon reopens its …". */
function isPresent(words: readonly string[], i: number): boolean {
  const behindSubject = i === 1 || (i === 2 && DETERMINERS.has(words[0]!));
  const next = words[i + 1]!;
  return (
    behindSubject &&
    /[^aious]s$/.test(words[i]!) &&
    !/ings$/.test(words[i]!) &&
    (isPreposition(next) || DETERMINERS.has(next))
  );
}

function clean(text: string): string {
  return text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll('’', "'")
    .trim();
}

function finish(claim: string): string {
  const text = claim.trim();
  if (text === '') return '';
  const upper = text[0]!.toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}

/** "In 1900, who won?" keeps its lead. A lead that is itself a question word does not count. */
function inClauses(tokens: readonly string[], answer: string): string | null {
  const direct = turn(tokens, answer);
  if (direct !== null) return direct;
  const comma = tokens.findIndex((token) => token.endsWith(','));
  if (comma < 0 || comma > tokens.length - 2) return null;
  const rest = turn(tokens.slice(comma + 1), answer);
  return rest === null ? null : `${tokens.slice(0, comma + 1).join(' ')} ${rest}`;
}

/** A question that begins as questions do. */
function turn(tokens: readonly string[], answer: string): string | null {
  const lower = wordsOf(tokens);
  const first = lower[0]!;
  // "Isn't X Y?" and "Is X Y?" have the same answers.
  const aux = affirmed(first);
  if (isAuxiliary(aux)) return yesOrNo([aux, ...tokens.slice(1)], [aux, ...lower.slice(1)], answer);
  if (isPreposition(first) && WH.has(lower[1] ?? '')) return afterPreposition(tokens, lower, answer);
  if (/^(what|who|where|when|how)'s$/.test(first)) {
    return turn([tokens[0]!.slice(0, -2), 'is', ...tokens.slice(1)], answer);
  }
  if (!WH.has(first)) return null;
  if (first === 'how') return how(tokens, lower, answer);
  if (first === 'when') return adverbial(tokens, lower, 1, asTime(answer));
  if (first === 'where') return adverbial(tokens, lower, 1, asPlace(answer));
  if (first === 'why') return adverbial(tokens, lower, 1, asReason(answer));
  if (first === 'whose') return `${answer}'s ${join(tokens, 1)}`;
  return whatOrWho(tokens, lower, answer);
}

/** "In which year did …", "To whom was …": the answer goes to the end with its preposition. */
function afterPreposition(
  tokens: readonly string[],
  lower: readonly string[],
  answer: string,
): string | null {
  const aux = lower.findIndex((word, i) => i > 1 && isAuxiliary(word));
  if (aux < 0) return null;
  const twice = lower.at(-1) === lower[0];
  return adverbial(tokens, lower, aux, twice ? answer : withPreposition(lower[0]!, answer));
}

function how(tokens: readonly string[], lower: readonly string[], answer: string): string | null {
  const next = lower[1] ?? '';
  if (next === 'many' || next === 'much') {
    const aux = lower.findIndex((word, i) => i > 1 && isAuxiliary(word));
    const noun = tokens.slice(2, aux < 0 ? tokens.length : aux);
    const amount = withUnit(answer, noun);
    if (aux < 0) {
      const verb = lower.findIndex((word, i) => i > 2 && (isFiniteVerb(word) || isBase(word)));
      return verb < 0 ? null : `${withUnit(answer, tokens.slice(2, verb))} ${join(tokens, verb)}`;
    }
    if (lower[aux + 1] === 'there') return `there ${tokens[aux]} ${amount} ${join(tokens, aux + 2)}`;
    if (DO.has(lower[aux]!)) return object(tokens, lower, aux, amount);
    if (noun.length > 0 && followsDirectly(lower, aux)) return `${amount} ${join(tokens, aux)}`;
    return adverbial(tokens, lower, aux, amount);
  }
  if (SCALES.has(next) && BE.has(lower[2] ?? '')) {
    const mentions = answer.toLowerCase().includes(next);
    return adverbial(tokens, lower, 2, mentions ? answer : `${answer} ${next}`);
  }
  const aux = lower.findIndex((word, i) => i >= 1 && i <= 4 && isAuxiliary(word));
  if (aux < 0) return null;
  return adverbial(tokens, lower, aux, aux === 1 ? asManner(answer) : answer);
}

function withUnit(answer: string, noun: readonly string[]): string {
  const unit = noun.join(' ');
  const named = noun.length > 0 && answer.toLowerCase().includes(noun.at(-1)!.toLowerCase());
  return unit === '' || named ? answer : `${answer} ${unit}`;
}

function whatOrWho(tokens: readonly string[], lower: readonly string[], answer: string): string | null {
  const aux = lower.findIndex((word, i) => i > 0 && isAuxiliary(word));
  const verb = lower.findIndex(
    (word, i) => i > 0 && (isFiniteVerb(word) || (i > 1 && isBase(word) && lower[i - 1]!.endsWith('s'))),
  );
  const bare = lower[0] === 'who' || lower[0] === 'whom';
  if (aux < 0 || (verb > 0 && verb < aux && !DO.has(lower[aux]!)) || (bare && aux > 1)) {
    if (bare || verb === 1 || (aux < 0 && lower[1]?.endsWith('s') && verb < 0))
      return tokens.length > 1 ? `${answer} ${join(tokens, 1)}` : null;
    const from = verb > 0 ? verb : -1;
    return from < 0 ? null : `${answer} ${join(tokens, from)}`;
  }
  const asked = lower.slice(1, aux);
  if (asked.includes('of') && !DO.has(lower[aux]!)) return `${answer} ${join(tokens, aux)}`;
  if (DO.has(lower[aux]!)) {
    const head = asked.at(-1) ?? '';
    if (/^(year|decade|century|month|season)$/.test(head))
      return adverbial(tokens, lower, aux, withPreposition('in', answer));
    if (/^(day|date)$/.test(head)) return adverbial(tokens, lower, aux, withPreposition('on', answer));
    if (head === 'time') return adverbial(tokens, lower, aux, withPreposition('at', answer));
    return object(tokens, lower, aux, answer);
  }
  if (BE.has(lower[aux]!))
    return asked.length === 0 ? be(tokens, lower, aux, answer) : whichBe(tokens, lower, aux, answer);
  const boundary = predicate(lower, aux);
  if (boundary === aux + 1 || boundary < 0) return `${answer} ${join(tokens, aux)}`;
  return object(tokens, lower, aux, answer);
}

/** "What is X?", "Who was killed in …?", "What was the theory called?", "What is X known for?" */
function be(tokens: readonly string[], lower: readonly string[], aux: number, answer: string): string | null {
  const rest = lower.slice(aux + 1);
  if (rest.length === 0) return null;
  const first = rest.find((word) => !word.endsWith('ly')) ?? rest[0]!;
  const adjective =
    lower[0] === 'who' && /^[a-z]/.test(first) && !DETERMINERS.has(first) && tokens[aux + 1] === rest[0];
  if (
    adjective ||
    isParticiple(first) ||
    PREDICATES.has(first) ||
    isPreposition(first) ||
    (/ing$/.test(first) && rest[1] !== 'of')
  ) {
    return `${answer} ${join(tokens, aux)}`;
  }
  if (first === 'there') return `there ${tokens[aux]} ${answer} ${join(tokens, aux + 2)}`;
  const tail = rest.findIndex((word, i) => i > 0 && isParticiple(word) && !afterRelative(rest, i));
  const stranded = isPreposition(rest.at(-1)!);
  if (tail > 0 && (stranded || tail === rest.length - 1 || NAMING.has(rest[tail]!))) {
    const at = aux + 1 + tail;
    return `${join(tokens, aux + 1, at)} ${tokens[aux]} ${insert(tokens, lower, at, answer)}`;
  }
  if (stranded && rest.length > 1) return `${join(tokens, aux + 1)} ${answer}`;
  return `${join(tokens, aux + 1)} ${tokens[aux]} ${answer}`;
}

/** "Which city is the capital of X?", "What year was X founded?", "Which team was founded in 1900?" */
function whichBe(tokens: readonly string[], lower: readonly string[], aux: number, answer: string): string {
  if (followsDirectly(lower, aux)) return `${answer} ${join(tokens, aux)}`;
  const head = lower[aux - 1]!;
  const boundary = predicate(lower, aux);
  if (boundary > aux + 1) {
    const given = /^(year|decade|century|month|season|country|city|state|place|county|region)$/.test(head)
      ? isPreposition(lower.at(-1)!)
        ? answer
        : withPreposition('in', answer)
      : /^(day|date)$/.test(head)
        ? withPreposition('on', answer)
        : answer;
    return `${join(tokens, aux + 1, boundary)} ${tokens[aux]} ${join(tokens, boundary)} ${given}`;
  }
  return DETERMINERS.has(lower[aux + 1] ?? '') || boundary < 0
    ? `${answer} ${join(tokens, aux)}`
    : `${join(tokens, aux + 1)} ${tokens[aux]} ${answer}`;
}

/** Subject, auxiliary, predicate, then the answer: "when was X born" -> "X was born in 1900". */
function adverbial(
  tokens: readonly string[],
  lower: readonly string[],
  aux: number,
  answer: string,
): string | null {
  const word = lower[aux] ?? '';
  if (!isAuxiliary(word)) {
    const verb = lower.findIndex((each, i) => i >= aux && isFiniteVerb(each));
    return verb < 0 ? null : `${join(tokens, aux)} ${answer}`;
  }
  if (aux + 1 >= tokens.length) return null;
  if (DO.has(word)) return `${plainVerb(tokens, lower, aux)} ${answer}`;
  const boundary = predicate(lower, aux);
  if (boundary === aux + 1) return `${join(tokens, aux)} ${answer}`;
  if (boundary < 0) return MODAL.has(word) ? null : `${join(tokens, aux + 1)} ${tokens[aux]} ${answer}`;
  return `${join(tokens, aux + 1, boundary)} ${tokens[aux]} ${join(tokens, boundary)} ${answer}`;
}

/** "What did X discover in 1900" -> "X discovered ANSWER in 1900". */
function object(tokens: readonly string[], lower: readonly string[], aux: number, answer: string): string {
  const verb = mainVerb(lower, aux);
  if (verb < 0) return `${plainVerb(tokens, lower, aux)} ${answer}`;
  const subject = join(tokens, aux + 1, verb);
  const finite = DO.has(lower[aux]!) ? inflect(lower[aux]!, lower[verb]!) : `${tokens[aux]} ${tokens[verb]}`;
  return `${subject} ${finite} ${insert(tokens, lower, verb, answer).slice(tokens[verb]!.length + 1)}`;
}

/** The words from `verb` on with the answer where its object belongs: before a phrase of time or place, else last. */
function insert(tokens: readonly string[], lower: readonly string[], verb: number, answer: string): string {
  const next = lower[verb + 1];
  const early =
    next !== undefined && isPreposition(next) && verb + 2 < tokens.length && !isPreposition(lower.at(-1)!);
  if (early) return `${tokens[verb]} ${answer} ${join(tokens, verb + 1)}`;
  return `${join(tokens, verb)} ${answer}`;
}

/** The words behind do, does or did with the tense moved to the main verb. */
function plainVerb(tokens: readonly string[], lower: readonly string[], aux: number): string {
  const verb = mainVerb(lower, aux);
  if (verb < 0) return join(tokens, aux + 1);
  return [join(tokens, aux + 1, verb), inflect(lower[aux]!, lower[verb]!), join(tokens, verb + 1)]
    .filter((part) => part !== '')
    .join(' ');
}

function inflect(aux: string, base: string): string {
  if (aux.endsWith("n't")) return `${aux.slice(0, -3)} not ${base}`;
  return aux === 'did' ? past(base) : aux === 'does' ? thirdPerson(base) : base;
}

/** "Is X Y?" -> "X is Y"; "Is X A or B?" keeps the answer. */
function yesOrNo(tokens: readonly string[], lower: readonly string[], answer: string): string | null {
  if (tokens.length < 3) return null;
  const no = isNo(answer);
  const or = lower.lastIndexOf('or');
  const choice = or > 0 && or < tokens.length - 1 && !isYes(answer) && !no;
  const aux = lower[0]!;
  const boundary = choice ? -1 : verdictAt(lower);
  if (boundary < 0) {
    if (!choice || !BE.has(aux)) return null;
    const subject = DETERMINERS.has(lower[1]!) ? 3 : 2;
    return `${join(tokens, 1, subject)} ${aux} ${answer}`;
  }
  const not = no ? ' not' : '';
  if (DO.has(aux)) {
    const verb = no ? `${aux} not ${tokens[boundary]}` : inflect(aux, lower[boundary]!);
    return `${join(tokens, 1, boundary)} ${verb} ${join(tokens, boundary + 1)}`;
  }
  return `${join(tokens, 1, boundary)} ${aux}${not} ${join(tokens, boundary)}`;
}

/** Where the predicate of a yes-or-no question begins. */
function verdictAt(lower: readonly string[]): number {
  const found = predicate(lower, 0);
  if (found > 1 || !BE.has(lower[0]!)) return found > 1 ? found : -1;
  for (let i = DETERMINERS.has(lower[1]!) ? 3 : 2; i < lower.length; i += 1) {
    if (DETERMINERS.has(lower[i]!) || (isPreposition(lower[i]!) && lower[i] !== 'of')) return i;
    if (lower[i] === 'not') return i;
  }
  return lower.length - 1;
}

/** "X was founded in what year" -> the question words give way to the answer. */
function inPlace(tokens: readonly string[], answer: string): string | null {
  const lower = wordsOf(tokens);
  const at = lower.findLastIndex((word) => WH.has(word));
  if (at <= 0) {
    const ask = /^(name|list|define|give|state|explain|describe|tell)$/.test(lower[0]!) || at === 0;
    return ask || tokens.length > 12 ? null : `${tokens.join(' ')} is ${answer}`;
  }
  if (lower.some((word, i) => i > at && i < at + 6 && isAuxiliary(word))) {
    const rest = turn(tokens.slice(at), answer);
    return rest === null ? null : `${join(tokens, 0, at)} ${rest}`;
  }
  const end = lower.findIndex((word, i) => i > at && (isPreposition(word) || isFiniteVerb(word)));
  return `${join(tokens, 0, at)} ${answer} ${end < 0 ? '' : join(tokens, end)}`;
}

/** Words in small letters, but names as they are, so that "Building" in a name is no verb. */
function wordsOf(tokens: readonly string[]): string[] {
  const capitals = tokens.filter((token, i) => i > 0 && /^\p{Lu}/u.test(token)).length;
  const names = capitals * 2 < tokens.length;
  return tokens.map((token, i) =>
    names && i > 0 && !WH.has(token.toLowerCase()) ? token : token.toLowerCase(),
  );
}
