/** Questions by which somebody might learn of documents that are hidden from him: made of these documents' own words. */
import { type Random, shuffled } from '../../common/index.ts';
import { type CorpusIndex, loadIdentifiers, sentences } from '../../corpus/index.ts';
import type { Query } from '../../router/index.ts';

export type Probe = Omit<Query, 'id'> & { kind: (typeof PROBES)[number] };

export const PROBES = [
  'ordinary',
  'identifier',
  'sentence',
  'title',
  'misspelt title',
  'term',
  'count',
  'follow-up',
  'filter',
  'several',
] as const;

/**
 * Probes of the documents that are hidden, `count` of them, each kind as often as any other; `ordinary`: questions that
 * anybody asks. `index` holds everything. Deterministic by `random`.
 */
export function probesOf(
  index: CorpusIndex,
  isHidden: (docId: string) => boolean,
  ordinary: readonly string[],
  count: number,
  random: Random,
): Probe[] {
  const hidden = index.documents.filter(({ docId }) => isHidden(docId));
  const passages = hidden.flatMap(({ first, passages: n }) => index.passages.slice(first, first + n));
  const identifiers = loadIdentifiers(index);
  const named = passages.flatMap(({ text }) => identifiers.extract(text));
  const one = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  const passage = () => one(passages)!;
  const title = () => one(hidden)!.title;
  const makers: Record<Probe['kind'], () => Omit<Probe, 'kind'> | null> = {
    ordinary: () => asked(one(ordinary)),
    identifier: () => (named.length === 0 ? null : asked(`What is ${one(named)!.id}?`)),
    sentence: () => {
      const { text } = passage();
      const range = one(sentences(text, 0, text.length));
      return range === undefined ? null : asked(`Is it true that ${text.slice(range.start, range.end)}`);
    },
    title: () => asked(`What does "${title()}" say?`),
    'misspelt title': () => {
      const word = [...title().split(/\s+/)].sort((a, b) => b.length - a.length)[0]!;
      const at = 1 + Math.floor(random() * Math.max(1, word.length - 2));
      return asked(`What is the ${word.slice(0, at)}${word[at + 1] ?? ''}${word[at]}${word.slice(at + 2)}?`);
    },
    term: () => {
      const { title: path } = passage();
      return asked(`What is ${path.split(' > ').at(-1)}?`);
    },
    count: () => asked(`How many documents mention ${longWord(passage().text, one)}?`),
    'follow-up': () => ({
      query: 'When was it decided, and by whom?',
      history: [
        { role: 'user', text: `Tell me about ${title()}.` },
        { role: 'assistant', text: passage().text.slice(0, 200) },
      ],
    }),
    filter: () => ({ query: one(ordinary)!, filters: { docId: [one(hidden)!.docId] } }),
    several: () => asked(`What is ${longWord(passage().text, one)}? And ${one(ordinary)}`),
  };
  const probes: Probe[] = [];
  const order = shuffled([...PROBES], random);
  for (let i = 0; probes.length < count && i < 4 * count; i += 1) {
    const kind = order[i % order.length]!;
    const made = makers[kind]();
    if (made !== null) probes.push({ kind, ...made });
  }
  return probes;
}

const asked = (query: string | undefined) => (query === undefined ? null : { query });

function longWord(text: string, one: (words: readonly string[]) => string | undefined): string {
  return one(text.match(/[\p{L}\p{N}-]{6,}/gu) ?? ['anything']) ?? 'anything';
}
