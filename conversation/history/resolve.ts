import { type Choice, type Entity, type Memory, type Phrase, type PronounClass, wordsOf } from './memory.ts';
import { type Mention, mentionsIn } from './mentions.ts';
import {
  asksWho,
  demonstrated,
  describedThing,
  meansAnswer,
  oneMeant,
  thingMeant,
  thingsDoneTo,
  whoIsAsked,
} from './pending.ts';
import { isExpletive } from './phrase.ts';
import { genitive, type Token, tokensOf, withoutGenitive } from './tokens.ts';
import type { OpenReference, RewriteReason, RewriteRule } from './types.ts';
import { AUXILIARIES, FUNCTION_WORDS } from './words.ts';

/** A text with its references replaced, and the entities that it is then about. */
export interface Resolved {
  text: string;
  reasons: RewriteReason[];
  open: OpenReference[];
  entities: Entity[];
  /** Whether it names something itself, known or new. */
  named: boolean;
  /** Noun phrases of the last question that were put in. */
  phrases: string[];
}

interface Edit {
  start: number;
  end: number;
  to: string;
  rule: RewriteRule;
  entity: Pick<Entity, 'turn'>;
}

const PRONOUNS: ReadonlyMap<string, PronounClass> = new Map([
  ['he', 'he'],
  ['him', 'he'],
  ['his', 'he'],
  ['she', 'she'],
  ['her', 'she'],
  ['hers', 'she'],
  ['it', 'it'],
  ['its', 'it'],
  ['they', 'they'],
  ['them', 'they'],
  ['their', 'they'],
  ['theirs', 'they'],
]);
const POSSESSIVES: ReadonlySet<string> = new Set(['his', 'her', 'hers', 'its', 'their', 'theirs']);
/**
 * Replaces what points into the conversation by names out of `memory`, as it stands at `turn`: pronouns (the first of
 * each kind, since the others hang on it), short names, and general nouns ("the band") beside which the name is set.
 * A pronoun that a name before it in the same text may bind stays.
 */
export function resolveReferences(text: string, memory: Memory, turn: number): Resolved {
  const tokens = tokensOf(text);
  const mentions = mentionsIn(text);
  const edits: Edit[] = [];
  const open: OpenReference[] = [];
  const about: Entity[] = [];
  const phrases: string[] = [];
  const take = (choice: Choice, token: Token, to: string, rule: RewriteRule) => {
    edits.push({ start: token.start, end: token.end, to, rule, entity: choice.entity });
    about.push(choice.entity);
    if (choice.rivals.length > 0) {
      const candidates = [choice.entity, ...choice.rivals].map(({ name }) => name);
      open.push({ word: token.text, candidates });
    }
  };

  const pending = memory.unanswered(turn);
  let filled = false;
  const put = ({ start, end }: Token, to: string, rule: RewriteRule) => {
    edits.push({ start, end, to, rule, entity: { turn: turn - 1 } });
    phrases.push(to);
    filled = true;
  };

  const spoken = wordsOf(text);
  about.push(...memory.spelt(spoken));
  for (const mention of mentions) {
    const words = wordsOf(mention.name);
    const named = memory.named(words);
    const [entity] = named;
    if (entity === undefined) continue;
    about.push(entity);
    mention.kind = entity.kind;
    mention.gender = entity.gender;
    if (named.length > 1 || [...entity.words].every((word) => spoken.has(word))) continue;
    if (!isExpandable(entity) || pending !== null) continue;
    const { start, end } = mention;
    edits.push({ start, end, to: entity.name, rule: 'SHORT_NAME', entity });
  }

  const named = about.length > 0 || mentions.some(({ weak }) => !weak);
  const seen = new Set<PronounClass>();
  for (const [i, token] of tokens.entries()) {
    const pronoun = PRONOUNS.get(token.lower.replace(/'(?:s|ll|d|ve|re)$/, ''));
    if (pronoun === undefined || seen.has(pronoun)) continue;
    if (pronoun === 'it' && isExpletive(tokens.slice(i + 1, i + 7).map(({ lower }) => lower))) continue;
    seen.add(pronoun);
    const next = tokens[i + 1];
    const possessive = POSSESSIVES.has(token.lower) && (token.lower !== 'her' || isNounStart(next));
    const before = mentions.filter(({ end }) => end <= token.start);
    if ((possessive || token.lower === pronoun) && before.some((mention) => binds(mention, pronoun)))
      continue;
    // "Can he claim it and can he appeal?": what the first part leaves open the second does not settle.
    const again =
      pending !== null &&
      pronoun !== 'it' &&
      tokensOf(pending).some(({ lower }) => PRONOUNS.get(lower) === pronoun);
    if (again) continue;
    if (pending !== null && meansAnswer(pronoun, pending)) {
      const who = thingsDoneTo(tokens, i, pending) ?? whoIsAsked(pending);
      if (who !== null) put(token, possessive ? genitive(who) : who, 'PRONOUN');
      continue;
    }
    const choice = memory.bearer(pronoun, turn, new Set(about));
    const fallback = choice ?? memory.bearer(pronoun, turn);
    const phrase = pending !== null && asksWho(pending) ? null : memory.phrase(pronoun, turn);
    if (phrase !== null && (fallback === null || !isNearer(fallback.entity, phrase, turn))) {
      edits.push({
        start: token.start,
        end: token.end,
        to: possessive ? genitive(phrase.phrase) : phrase.phrase,
        rule: 'PRONOUN',
        entity: phrase,
      });
      phrases.push(phrase.phrase);
      continue;
    }
    if (fallback === null) {
      const thing = pending === null ? null : thingMeant(pronoun, pending);
      if (thing !== null) put(token, possessive ? genitive(thing) : thing, 'PRONOUN');
      continue;
    }
    if (pronoun === 'it' && fallback.entity.kind === 'person') continue;
    const { name } = fallback.entity;
    memory.meant(fallback.entity, pronoun);
    const clitic = /'(?:s|ll|d|ve|re)$/.exec(token.lower)?.[0] ?? '';
    take(fallback, token, possessive ? genitive(name) : name + clitic, 'PRONOUN');
  }

  for (const [i, token] of pending === null ? [] : tokens.entries()) {
    const one = oneMeant(tokens, i, pending!) ?? demonstrated(tokens, i, pending!);
    if (one !== null) put(token, one, 'PRONOUN');
  }

  for (const [i, token] of tokens.entries()) {
    const noun = tokens[i + 1];
    if (!/^(?:the|this|that)$/.test(token.lower) || noun === undefined) continue;
    if (
      isNounStart(tokens[i + 2]) &&
      !/^(?:\p{Ll}+(?:ed|s)|first|form|win|sell|make|play|tour|start|end)$/u.test(tokens[i + 2]!.lower)
    )
      continue;
    // A relative clause says itself which one is meant.
    if (/^(?:that|which|who)$/.test(tokens[i + 2]?.lower ?? '')) continue;
    const choice = memory.described(withoutGenitive(noun.lower), turn);
    const thing = choice !== null || pending === null ? null : describedThing(noun.lower, pending);
    if (thing !== null) put(noun, thing, 'DESCRIPTION');
    if (choice === null || about.includes(choice.entity)) continue;
    const bare = withoutGenitive(noun.text);
    const to =
      bare === noun.text ? `${noun.text} ${choice.entity.name}` : `${bare} ${genitive(choice.entity.name)}`;
    take(choice, noun, to, 'DESCRIPTION');
  }
  return { ...applied(text, edits), open, entities: [...new Set(about)], named: named || filled, phrases };
}

function applied(text: string, edits: readonly Edit[]): { text: string; reasons: RewriteReason[] } {
  const reasons: RewriteReason[] = [];
  let out = '';
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    if (edit.start < at) continue;
    const from = text.slice(edit.start, edit.end);
    out += text.slice(at, edit.start) + edit.to;
    at = edit.end;
    reasons.push({ rule: edit.rule, from, to: edit.to, turn: edit.entity.turn });
  }
  return { text: out + text.slice(at), reasons };
}

/** Whether "it" is rather a thing that our last turn named, or that the phrase itself names. */
function isNearer({ name, kind, turn: named }: Entity, { phrase }: Phrase, turn: number): boolean {
  return (kind === 'thing' && named >= turn - 1) || phrase.includes(name);
}

/** A short name is written out for people and for what has one name of a few words. */
function isExpandable({ name, kind }: Entity): boolean {
  return !/[&/,:]|\band\b/.test(name) && (kind === 'person' || name.split(' ').length <= 3);
}

/** Whether a noun phrase goes on here: not a function word, not the end. */
function isNounStart(token: Token | undefined): boolean {
  return token !== undefined && !FUNCTION_WORDS.has(token.lower) && !AUXILIARIES.has(token.lower);
}

/** Whether a name in the same sentence may be what the pronoun means. */
function binds({ kind, gender }: Mention, pronoun: PronounClass): boolean {
  if (pronoun === 'it') return kind !== 'person';
  if (pronoun === 'they') return kind !== 'thing';
  if (kind === 'thing' || kind === 'group') return false;
  return gender === null || gender === 'person' || (gender === 'male') === (pronoun === 'he');
}
