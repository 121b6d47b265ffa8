import type { Known } from './record.ts';
import type { Requirement, StateInput, TaggedWord, Tagger } from './types.ts';
import { contentStems } from './words.ts';

const MOST = 4;
/** Turns of the history that are read, the last ones. */
const TURNS = 6;
const CHARS = 2_000;

/**
 * req(q), Eq. 4, as far as labelled queries tell it: the pieces that queries like this one need and that nobody has
 * supplied, each once, at most 4. A node's pieces come from all labelled queries about it, so only those of a query that
 * asks the same count (000, section 10.4, where other queries' variables led the planner astray): more than half of its
 * words, without the name, stand in this one. Whether a word is a value of the piece cannot be told; but where the user
 * says nothing that the labelled query does not say as well, this one lacks what that one lacked. Pure but for the
 * tagger. English.
 */
export function requiredPieces(
  { query, history = [], required = [], replies = [] }: StateInput,
  known: readonly Known[],
  words: readonly TaggedWord[],
  tag: Tagger,
): string[] {
  if (required.length === 0 || query.length > CHARS) return [];
  const asks = stemsOf(query);
  const replied = stemsOf(replies.map(({ value }) => value).join('\n'));
  const said = [...saidIn(query, words), ...saidBefore(history, known, tag)].filter(
    (stem) => !replied.has(stem),
  );
  const isLacking = ({ variable, of, asked }: Requirement): boolean => {
    const name = stemsOf(of);
    // "Full-time, for 3 years" tells the years of service as well.
    if ([...stemsOf(variable)].some((stem) => replied.has(stem))) return false;
    return asked.some((labelled) => {
      const own = stemsOf(labelled);
      return (
        isLike(without(own, name), without(without(asks, name), replied)) &&
        said.every((stem) => own.has(stem))
      );
    });
  };
  return [...new Set(required.filter(isLacking).map(({ variable }) => variable))].slice(0, MOST);
}

/** Whether more than half of the one's stems are among the other's; of no stems, whether neither has any. */
function isLike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one.size === 0) return other.size === 0;
  return 2 * [...one].filter((stem) => other.has(stem)).length > one.size;
}

/** Stems of what a text may tell: all content words but its plain verbs, which differ from one wording to the next. */
function saidIn(text: string, words: readonly TaggedWord[]): string[] {
  const untagged = text.slice(words.at(-1)?.end ?? 0, CHARS);
  const telling = words.filter(({ tags }) => !tags.has('Expression') && !isPlainVerb(tags));
  return [...telling.map((word) => word.text), untagged].flatMap((part) => [...stemsOf(part)]);
}

/** "Retired", "employed" and "shipping" are verbs that a value may be. */
function isPlainVerb(tags: ReadonlySet<string>): boolean {
  const telling = ['Noun', 'Adjective', 'PastTense', 'Participle', 'Gerund'];
  return tags.has('Verb') && !telling.some((tag) => tags.has(tag));
}

/** What the user's earlier turns tell, and what they name; other words of a mere question tell nothing of the user. */
function saidBefore(
  history: NonNullable<StateInput['history']>,
  known: readonly Known[],
  tag: Tagger,
): string[] {
  const named = known.filter(({ from, kind }) => from === 'history' && kind !== 'attribute');
  const turns = history.filter(({ role }) => role === 'user').slice(-TURNS);
  return [
    ...named.flatMap(({ text }) => [...stemsOf(text)]),
    ...turns.flatMap(({ text }) => (/^[^.!?]*\?\s*$/.test(text) ? [] : saidIn(text, tag(text)))),
  ];
}

function stemsOf(text: string): Set<string> {
  return contentStems(text.slice(0, CHARS).replaceAll(/['’]s\b/g, ''));
}

function without(stems: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> {
  return new Set([...stems].filter((stem) => !others.has(stem)));
}
