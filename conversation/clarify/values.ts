import { sentenceAt } from '../../corpus/index.ts';
import { conditionsIn, contentStems, isStopWord, type Mention, mentionsIn, wordsIn } from '../state/index.ts';
import type { VariableKind } from './record.ts';
import type { ClarifyInput, Voice } from './types.ts';

/** A variable that passages give values to. `values[i]` belongs to voice i, verbatim from its passage; null: none. */
export interface Split {
  kind: VariableKind;
  /** What is asked for, in words of the query. */
  variable: string;
  values: (string | null)[];
}

const LONGEST = 80;
const SAME_STATEMENT = 0.6;
const LONGEST_CONDITION = 140;
/** Nouns of the query that are looked for with other words before them. */
const HEADS = 4;

/** What the voices differ in that a user could tell: words before a noun, times, names, conditions, documents. */
export function splits(input: ClarifyInput, voices: readonly Voice[]): Split[] {
  const asked = new Set(wordsIn(input.query.slice(0, 2_000)).map(({ text }) => text.toLowerCase()));
  const windows = voices.map(({ passage, start, end }) => {
    const sentence = sentenceAt(passage.text, { start, end });
    return { text: passage.text.slice(sentence.start, sentence.end), answer: start - sentence.start };
  });
  const mentions = windows.map(({ text }) => mentionsIn(text));
  const outside = (i: number, kind: Mention['kind']): Mention[] => {
    const { start, end } = voices[i]!;
    const from = windows[i]!.answer;
    const to = from + (end - start);
    return mentions[i]!.filter(
      (one) =>
        one.kind === kind &&
        (one.end <= from || one.start >= to) &&
        !saidBy(asked, one.text) &&
        !(kind === 'name' && commonNoun(windows[i]!.text, one)),
    ).sort((a, b) => Math.abs(a.start - from) - Math.abs(b.start - from));
  };
  const names = voices.map((_, i) => outside(i, 'name').map(({ text }) => text));
  const ofKind = (head: string): (string | null)[] =>
    voices.map(({ passage }, i) => modified(head, windows[i]!.text, passage.title, asked));
  const found: Split[] = [
    { kind: 'time', variable: 'time', values: voices.map((_, i) => outside(i, 'date')[0]?.text ?? null) },
    { kind: 'name', variable: 'name', values: voices.map((_, i) => telling(names, voices, i)) },
    {
      kind: 'subject',
      variable: 'subject',
      values: contradict(voices, windows)
        ? voices.map(() => null)
        : subjects(voices.map(({ passage }) => passage.title)),
    },
    {
      kind: 'condition',
      variable: 'condition',
      values: windows.map(({ text }) => conditionsIn(text)[0]?.text ?? null),
    },
    ...headsOf(input).map((head) => ({ kind: 'modifier' as const, variable: head, values: ofKind(head) })),
    ...input.state.missing
      .filter(({ kind }) => kind === 'required')
      .map(({ text }) => ({ kind: 'required' as const, variable: text, values: ofKind(headOf(text)) })),
  ];
  const topic = topicOnly(input);
  if (topic !== null) {
    const leaves = voices.map(({ passage }) => passage.title.split(' > ').at(-1)?.trim() ?? '');
    const headed = new Set(leaves).size === leaves.length && !leaves.includes('');
    const said = voices.map(({ passage, start, end }) => passage.text.slice(start, end));
    found.push({ kind: 'aspect', variable: topic, values: headed ? leaves : said });
  }
  for (const { kind, values } of found) {
    const most = kind === 'condition' ? LONGEST_CONDITION : LONGEST;
    values.forEach((value, i) => {
      if (value !== null && (value.length > most || value.trim() === '')) values[i] = null;
    });
  }
  return found;
}

const ASKS =
  /\?\s*$|\b(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|should|will)\b/iu;

/** What a query is about that only names a topic, "tell me about Hoboken"; null when it asks something of it. */
function topicOnly({ query, state }: ClarifyInput): string | null {
  if (ASKS.test(query.slice(0, 400))) return null;
  return state.known.find(({ from, grounded }) => from === 'query' && grounded)?.text ?? null;
}

/** Whether the query says every word of it already. */
function saidBy(asked: ReadonlySet<string>, text: string): boolean {
  return wordsIn(text).every(({ text: word }) => asked.has(word.toLowerCase()) || isStopWord(word));
}

/** "The Government" is no name, for all its capital. */
function commonNoun(text: string, { text: name, start }: Mention): boolean {
  return !name.includes(' ') && /\bthe $/i.test(text.slice(Math.max(0, start - 5), start));
}

/** The name nearest to the answer that no voice with another answer has. */
function telling(names: readonly (readonly string[])[], voices: readonly Voice[], i: number): string | null {
  const others = new Set(
    names.filter((_, j) => voices[j]!.answer !== voices[i]!.answer).flatMap((list) => list.map(lower)),
  );
  return names[i]!.find((name) => !others.has(lower(name))) ?? null;
}

function lower(text: string): string {
  return text.toLowerCase();
}

/**
 * Whether the two likeliest answers stand in sentences that say the same but for the answer, in documents that are not
 * told apart by a number or date in their titles: then the corpus contradicts itself, and no document is "the one meant".
 */
function contradict(voices: readonly Voice[], windows: readonly { text: string; answer: number }[]): boolean {
  const other = voices.findIndex(({ answer }) => answer !== voices[0]?.answer);
  if (other < 0) return false;
  const said = [0, other].map((i) => {
    const { text, answer } = windows[i]!;
    const { start, end, passage } = voices[i]!;
    const title = passage.title.split(' > ')[0] ?? '';
    const rest = contentStems(text.slice(0, answer) + text.slice(answer + (end - start)));
    return { rest, numbered: /\p{N}/u.test(title) };
  });
  const [a, b] = [said[0]!, said[1]!];
  if (a.numbered && b.numbered) return false;
  const both = [...a.rest].filter((stem) => b.rest.has(stem)).length;
  const all = a.rest.size + b.rest.size - both;
  return all > 0 && both / all >= SAME_STATEMENT;
}

/**
 * What each passage is about: the outermost heading that is not the same for all. A title is headings joined by " > ";
 * where they differ in the document already, that is the document's title.
 */
export function subjects(titles: readonly string[]): (string | null)[] {
  const paths = titles.map((title) => title.split(' > ').map((part) => part.trim()));
  let depth = 0;
  while (
    paths.length > 0 &&
    paths.every((path) => (path[depth] ?? '') !== '' && path[depth] === paths[0]![depth])
  ) {
    depth += 1;
  }
  return paths.map((path) => path[depth] || null);
}

/** Last words of the things that the query names without a name: "meeting" of "the meeting". */
function headsOf({ state }: ClarifyInput): string[] {
  const heads = state.known
    .filter(({ kind, from }) => kind === 'attribute' && from === 'query')
    .flatMap(({ text }) => wordsIn(text).at(-1)?.text ?? [])
    .filter((head) => /^\p{L}{3,40}$/u.test(head));
  return [...new Set(heads)].slice(0, HEADS);
}

/** The noun that a phrase is about: "country" of "country of destination" and of "destination country". */
function headOf(phrase: string): string {
  return wordsIn(phrase.split(/ (?:of|for|in) /)[0]!).at(-1)?.text ?? phrase;
}

/** "board meeting" for "meeting": the noun with the words before it that the query does not have. */
function modified(head: string, text: string, title: string, asked: ReadonlySet<string>): string | null {
  for (const source of [text, title]) {
    const words = wordsIn(source);
    const at = words.findIndex(
      ({ text: word }, i) => sameNoun(word, head) && i > 0 && qualifies(source, words, i, asked),
    );
    if (at < 0) continue;
    const first = at > 1 && qualifies(source, words, at - 1, asked) ? at - 2 : at - 1;
    return source.slice(words[first]!.start, words[at]!.end);
  }
  return null;
}

function sameNoun(word: string, head: string): boolean {
  const [a, b] = [lower(word), lower(head)];
  return a === b || b === `${a}s`;
}

/** Whether the word before word `i` adjoins it, is new, and qualifies rather than joins. */
function qualifies(
  source: string,
  words: ReturnType<typeof wordsIn>,
  i: number,
  asked: ReadonlySet<string>,
): boolean {
  const before = words[i - 1]!;
  if (source.slice(before.end, words[i]!.start) !== ' ') return false;
  const word = lower(before.text);
  if (/ing$/.test(word) && /^\p{Lu}/u.test(before.text)) return false;
  return (
    !isStopWord(word) &&
    !asked.has(word) &&
    /^\p{L}[\p{L}'’-]{2,}$/u.test(word) &&
    !/(?:ly|n't)$/.test(word) &&
    !NO_QUALITY.has(word)
  );
}

/** What stands before a noun without telling it from others of its kind. */
const NO_QUALITY = new Set(
  'next last every per since until during within via held holds open opens take takes need needs use uses make makes become includes include says say said called goes went came means became two three four five six seven eight nine ten eleven twelve'.split(
    ' ',
  ),
);
