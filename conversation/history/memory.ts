import type { Kind, Mention } from './mentions.ts';
import { isOrdinaryWord } from './names.ts';
import { lastNounPhrase } from './phrase.ts';
import { tokensOf, withoutGenitive } from './tokens.ts';
import { FUNCTION_WORDS, GENERIC_NOUNS, type Gender } from './words.ts';

/** Something that the conversation has named. */
export interface Entity {
  /** The fullest name that was used. */
  name: string;
  /** Its words in small letters, function words aside. */
  words: ReadonlySet<string>;
  kind: Kind;
  gender: Gender | null;
  /** Place in the history of the last time it was named or meant. */
  turn: number;
  /** How present it was at `turn`. */
  salience: number;
  /** General nouns that were set beside it: "the album Here I Am". */
  nouns: Set<string>;
  /** How much the whole conversation has been about it, without decay. */
  weight: number;
}

export interface Phrase {
  phrase: string;
  plural: boolean;
  turn: number;
}

export type PronounClass = 'he' | 'she' | 'it' | 'they';

/** What is left of an entity's presence after each turn in which it is not named. */
const DECAY = 0.7;
/** What of all its mentions stays present for ever. */
const STANDING = 0.5;
/** Entities that are remembered at most; the least present goes first. */
const CAPACITY = 64;
/** A second candidate this near to the first makes the reference open. */
const RIVAL = 0.8;

export interface Choice {
  entity: Entity;
  /** Others that it might as well be. */
  rivals: Entity[];
}

/** What has been named so far and how present it is (a running form of centring: subjects and users weigh more). */
export class Memory {
  readonly #entities: Entity[] = [];
  #phrase: Phrase | null = null;
  #question: { text: string; turn: number } | null = null;

  /** Remembers a mention; a name that shares its distinctive words with a known one is the same entity. */
  note(mention: Mention, turn: number, weight: number): Entity | null {
    const words = wordsOf(mention.name);
    const known = this.#entities.find((entity) => sameBearer(entity, { name: mention.name, words }));
    if (known === undefined) {
      if (mention.weak) return null;
      const entity: Entity = { ...mention, words, turn, salience: weight, nouns: new Set(), weight };
      this.#entities.push(entity);
      if (this.#entities.length > CAPACITY) this.#forget(turn);
      return entity;
    }
    if (mention.name.length > known.name.length && words.size > known.words.size) {
      known.name = mention.name;
      known.words = words;
    }
    if (known.kind === 'unknown') known.kind = mention.kind;
    known.gender ??= mention.gender;
    this.touch(known, turn, weight);
    return known;
  }

  /** The entity was meant again. */
  touch(entity: Entity, turn: number, weight: number): void {
    entity.salience = entity.salience * DECAY ** (turn - entity.turn) + weight;
    entity.weight += weight;
    entity.turn = turn;
  }

  /** The likeliest bearer of a pronoun at `turn`; null when nothing fits. */
  bearer(pronoun: PronounClass, turn: number, except: ReadonlySet<Entity> = new Set()): Choice | null {
    return this.#choose(turn, (entity) => (except.has(entity) ? 0 : suitability(entity, pronoun)));
  }

  /** What "the album" means at `turn`: what was called so, else what the conversation is about unless a person. */
  described(noun: string, turn: number): Choice | null {
    const called = this.#choose(turn, ({ nouns }) => (nouns.has(noun) ? 1 : 0));
    if (called !== null) return called;
    if (!GENERIC_NOUNS.has(noun)) return null;
    const topic = this.topic(turn);
    const group = noun === 'band' || noun === 'group' || noun === 'team';
    if (topic === null || topic.entity.kind === 'person') return null;
    return group === (topic.entity.kind === 'group') || topic.entity.kind === 'unknown' ? topic : null;
  }

  /** What the conversation is about at `turn`. */
  topic(turn: number): Choice | null {
    return this.#choose(turn, () => 1);
  }

  /** The entities all of whose words are among these; a single ordinary word is no sign. */
  spelt(words: ReadonlySet<string>): Entity[] {
    return this.#entities.filter(
      (entity) =>
        entity.words.size > 0 &&
        [...entity.words].every((word) => words.has(word)) &&
        (entity.words.size > 1 || !isOrdinaryWord([...entity.words][0]!)),
    );
  }

  /** Remembers the noun phrase of a question. */
  asked(question: string, turn: number): void {
    this.#question = { text: question, turn };
    const found = lastNounPhrase(question);
    if (found !== null) this.#phrase = { ...found, turn };
  }

  /** The question that the turn before asked and that nobody has answered: what one query asks first. Null: none. */
  unanswered(turn: number): string | null {
    return this.#question !== null && this.#question.turn === turn - 1 ? this.#question.text : null;
  }

  /** The noun phrase of the question before that this pronoun may mean. */
  phrase(pronoun: PronounClass, turn: number): Phrase | null {
    if (this.#phrase === null || turn - this.#phrase.turn > 2) return null;
    return pronoun === 'it' && !this.#phrase.plural ? this.#phrase : null;
  }

  /** A pronoun of this kind was used for it. */
  meant(entity: Entity, pronoun: PronounClass): void {
    if (entity.kind !== 'unknown') return;
    if (pronoun === 'it') entity.kind = 'thing';
    else if (pronoun === 'they') entity.kind = 'group';
    else {
      entity.kind = 'person';
      entity.gender ??= pronoun === 'he' ? 'male' : 'female';
    }
  }

  /** The entities whose name holds all these words. */
  named(words: ReadonlySet<string>): Entity[] {
    if (words.size === 0) return [];
    return this.#entities.filter((entity) => [...words].every((word) => entity.words.has(word)));
  }

  #choose(turn: number, fits: (entity: Entity) => number): Choice | null {
    const scored = this.#entities
      .map((entity) => ({ entity, score: fits(entity) * present(entity, turn) }))
      .filter(({ score }) => score > 0.02)
      .sort((a, b) => b.score - a.score || b.entity.turn - a.entity.turn);
    const [best, ...rest] = scored;
    if (best === undefined) return null;
    const rivals = rest.filter(({ score }) => score >= RIVAL * best.score).map(({ entity }) => entity);
    return { entity: best.entity, rivals: rivals.slice(0, 3) };
  }

  #forget(turn: number): void {
    let least = 0;
    for (const [i, entity] of this.#entities.entries())
      if (present(entity, turn) < present(this.#entities[least]!, turn)) least = i;
    this.#entities.splice(least, 1);
  }
}

function present(entity: Entity, turn: number): number {
  return entity.salience * DECAY ** (turn - entity.turn) + STANDING * entity.weight;
}

/** How well a pronoun suits an entity, in [0, 1]. Unknown things suit everything. */
function suitability({ kind, gender }: Entity, pronoun: PronounClass): number {
  if (pronoun === 'he' || pronoun === 'she') {
    if (kind === 'thing') return 0.05;
    if (kind === 'group') return 0.05;
    const other = pronoun === 'he' ? 'female' : 'male';
    if (gender === other) return 0.1;
    return kind === 'person' ? 1 : 0.8;
  }
  if (pronoun === 'it') return kind === 'person' ? 0.1 : kind === 'group' ? 0.5 : 1;
  return kind === 'group' ? 1 : kind === 'person' ? 0.3 : kind === 'thing' ? 0.5 : 0.8;
}

export function wordsOf(name: string): ReadonlySet<string> {
  return new Set(
    tokensOf(name)
      .map(({ lower }) => withoutGenitive(lower))
      .filter((word) => !FUNCTION_WORDS.has(word)),
  );
}

/** One name's words are among the other's, and they are not one short word against a long title or a pair. */
function sameBearer(one: Pick<Entity, 'name' | 'words'>, other: Pick<Entity, 'name' | 'words'>): boolean {
  const pair = / and /.test(one.name) !== / and /.test(other.name);
  const [small, large] =
    one.words.size <= other.words.size ? [one.words, other.words] : [other.words, one.words];
  if (pair && small.size !== large.size) return false;
  if (small.size === 0 || large.size > small.size + 3) return false;
  return [...small].every((word) => large.has(word));
}
