import { oneLine } from '../../common/index.ts';
import { stretchOf } from '../../corpus/index.ts';
import { mentionsIn, namesIn } from './mentions.ts';
import type { Known } from './record.ts';
import type { StateInput, TaggedWord, Tagger } from './types.ts';
import { contentStems, isStopWord, shareHeld } from './words.ts';

const MOST = 16;
/** Turns of the history that are read, the last ones. */
const TURNS = 6;

interface Found {
  text: string;
  kind: Known['kind'];
  start: number;
  end: number;
}

/**
 * V_known, Eq. 1 and 4: what the query and the user's own earlier turns name. `passages`: content stems of each
 * retrieved passage; `names`: folded names that the passages write with capitals, so that a query in small letters
 * names them too. At most 16, those of the query first.
 */
export function knownVariables(
  input: Pick<StateInput, 'query' | 'history' | 'identifiers'>,
  words: readonly TaggedWord[],
  passages: readonly ReadonlySet<string>[],
  names: ReadonlySet<string>,
  tag: Tagger,
): Known[] {
  const known = new Map<string, Known>();
  const add = (text: string, kind: Known['kind'], from: Known['from'], grounded: boolean): void => {
    const key = text.toLowerCase();
    if (known.size < MOST && key !== '' && !known.has(key)) {
      known.set(key, { text: oneLine(text), kind, from, grounded });
    }
  };
  const addAll = (text: string, tagged: readonly TaggedWord[], from: Known['from']): void => {
    const records = input.identifiers.flatMap(({ id }) => stretchOf(text, id) ?? []);
    for (const found of foundIn(text, tagged, names)) {
      // What stands within a record's name is known as the record.
      if (records.some(({ start, end }) => start <= found.start && found.end <= end)) continue;
      const named = asDocumented(found.text, input.identifiers);
      const part = contentStems(named);
      const grounded = part.size > 0 && passages.some((whole) => shareHeld(part, whole) === 1);
      add(named, found.kind, from, grounded);
    }
  };
  for (const { id, known: exists } of input.identifiers) add(id, 'identifier', 'query', exists);
  addAll(input.query, words, 'query');
  const said = (input.history ?? []).filter(({ role }) => role === 'user').slice(-TURNS);
  for (const { text } of said) addAll(text, tag(text), 'history');
  return [...known.values()];
}

/** A text with its identifiers as the documents write them: who asks for "ADR 12" names what they call ADR-0012. */
function asDocumented(text: string, identifiers: StateInput['identifiers']): string {
  return identifiers.reduce((named, { id }) => {
    const place = stretchOf(named, id);
    return place === null ? named : named.slice(0, place.start) + id + named.slice(place.end);
  }, text);
}

/** Names, dates, quantities and quotations of a question, and its other noun phrases as attributes; no overlaps. */
export function foundIn(text: string, words: readonly TaggedWord[], names: ReadonlySet<string>): Found[] {
  const read = text.slice(0, words.at(-1)?.end ?? 0);
  const found: Found[] = [];
  const taken = (start: number, end: number): boolean => found.some((f) => start < f.end && f.start < end);
  for (const { 0: all, 1: quoted, index } of read.matchAll(/["“]([^"“”]{2,120})["”]/g)) {
    found.push({ text: quoted!, kind: 'quotation', start: index, end: index + all.length });
  }
  for (const { kind, ...mention } of mentionsIn(read)) {
    if (kind !== 'name' && !taken(mention.start, mention.end)) found.push({ ...mention, kind });
  }
  const written = [...namesIn(read)].filter((name) => !isStopWord(name.text));
  const runs = [...properNames(words), ...written, ...listed(read, words, names)].filter(
    ({ start, end }) => !taken(start, end),
  );
  found.push(...joined(read, runs));
  for (const phrase of nounPhrases(read, words, taken)) found.push(phrase);
  return found.sort((a, b) => a.start - b.start);
}

interface Run {
  start: number;
  end: number;
  kind: Known['kind'];
}

/** Words that the tagger takes for proper nouns, with the kind that it gives them. */
function* properNames(words: readonly TaggedWord[]): Generator<Run> {
  for (const { text, start, end, tags } of words) {
    if (isStopWord(text) || tags.has('Date') || tags.has('Value') || tags.has('Pronoun')) continue;
    const kind = tags.has('Person')
      ? 'person'
      : tags.has('Organization')
        ? 'organization'
        : tags.has('Place')
          ? 'place'
          : tags.has('ProperNoun')
            ? 'name'
            : null;
    if (kind !== null) yield { start, end, kind };
  }
}

/** Runs that overlap or adjoin make one name, of the most particular kind among them. */
function joined(text: string, runs: readonly Run[]): Found[] {
  const names: Run[] = [];
  for (const run of [...runs].sort((a, b) => a.start - b.start)) {
    const last = names.at(-1);
    const between = last === undefined ? null : text.slice(last.end, run.start);
    if (last === undefined || (run.start >= last.end && !/^(?: |\. |-)$/.test(between!))) {
      names.push({ ...run });
      continue;
    }
    last.end = Math.max(last.end, run.end);
    if (last.kind === 'name') last.kind = run.kind;
  }
  // A possessive names its owner: "Anna's" is about Anna.
  return names.map((run) => ({ ...run, text: text.slice(run.start, run.end).replace(/['’]s$/, '') }));
}

/** Stretches of up to four words that a passage writes as a name. */
function* listed(text: string, words: readonly TaggedWord[], names: ReadonlySet<string>): Generator<Run> {
  for (let i = 0; i < words.length; i += 1) {
    for (let size = Math.min(4, words.length - i); size > 0; size -= 1) {
      const { start } = words[i]!;
      const { end } = words[i + size - 1]!;
      const run = text.slice(start, end).toLowerCase();
      if (!names.has(run) || isStopWord(run)) continue;
      yield { start, end, kind: 'name' };
      i += size - 1;
      break;
    }
  }
}

/** Runs of adjectives, participles and nouns that end with a noun, and a number behind it: "level 2". */
function* nounPhrases(
  text: string,
  words: readonly TaggedWord[],
  taken: (start: number, end: number) => boolean,
): Generator<Found> {
  const free = (at: number): boolean => at < words.length && !taken(words[at]!.start, words[at]!.end);
  const adjoins = (at: number): boolean => text.slice(words[at - 1]!.end, words[at]!.start) === ' ';
  for (let i = 0; i < words.length; i += 1) {
    let last = -1;
    let at = i;
    while (free(at) && describes(words[at]!) && (at === i || adjoins(at))) {
      if (isNoun(words[at]!)) last = at;
      at += 1;
    }
    if (last < 0) continue;
    const next = last + 1;
    if (free(next) && adjoins(next) && /^\p{N}{1,4}$/u.test(words[next]!.text)) last = next;
    const [start, end] = [words[i]!.start, words[last]!.end];
    yield { text: text.slice(start, end).replace(/['’]s$/, ''), start, end, kind: 'attribute' };
    i = last;
  }
}

function isNoun({ text, tags }: TaggedWord): boolean {
  return tags.has('Noun') && !tags.has('Pronoun') && !isStopWord(text);
}

function describes(word: TaggedWord): boolean {
  if (isStopWord(word.text) || word.tags.has('Value')) return false;
  return isNoun(word) || word.tags.has('Adjective') || word.tags.has('Gerund');
}
