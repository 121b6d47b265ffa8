/** One question that several places answer differently: what each says, called by what tells the places apart. Pure. */

import { list } from '../../common/index.ts';
import { contentStems, shareHeld } from '../../conversation/index.ts';
import { partsOfTitle, sentenceAt } from '../../corpus/index.ts';
import type { Act } from '../../profiles/index.ts';
import type { Answers } from '../../scorers/index.ts';
import type { Evidence } from '../contracts.ts';
import { sameKind } from '../layers/index.ts';
import { SURE } from '../retrieval/index.ts';
import { type AskedEntry, entryAsked, formAsked, namesMore, severalAsked } from './asked.ts';
import { ANSWERS, entryNamed, explains } from './entries.ts';
import type { Formed } from './excerpt.ts';
import { quoteOf, type Source, sectionOf } from './units.ts';

/** Places that are shown side by side at most; of more it is asked which one is meant. */
export const MOST_PLACES = 4;
/** Entries that are looked at: of more than these a term has too many to be called apart. */
const LOOKED_AT = 200;
/** Share of the best span's score from which on another is an answer too. */
const SCORE_SHARE = 0.3;
/** Likeness of two sentences without their answers from which on they say the same of different things. */
const SAME_STATEMENT = 0.5;
/** Share of the words of the shorter of two descriptions that the longer holds, where both say the same. */
const AGREES = 0.6;

/** A place with what it says. `name`: what tells it from the other places, in words of their titles. */
export interface Place {
  name: string;
  evidence: Evidence;
  said: Formed;
}

/**
 * What the entries of the term say that the query asks about, each different description once, best first; empty where none is
 * asked for or the places cannot be told apart. `sources`: passages of such entries. Where the query names more than the
 * term, entries that do not answer it are none; nor are, of a word that is no name, those that were read and answer
 * much less likely than the `best` passage of all, nor those that were not read where that surely answers.
 */
export function entryPlaces(query: string, act: Act, sources: readonly Source[], best?: Evidence): Place[] {
  const asked = entryAsked(query);
  if (asked === null || formAsked(query, act) !== 'definition') return [];
  const apart = namesMore(query, asked);
  const relevance = ({ evidence }: Source) => evidence.scores.relevance ?? 0;
  // A page about the term explains it; entries of other pages say what it is there.
  if (sources.some((source) => isTitled(source, asked) && relevance(source) >= ANSWERS)) return [];
  const starts = startsOf(sources);
  const entries = sources
    .filter(({ evidence }) => evidence.start === starts.get(sectionOf(evidence)))
    .filter(
      (source) =>
        best === undefined || explains(asked, source, { evidence: best }) || mayExplain(source, best),
    )
    .filter((source) => !apart || relevance(source) >= ANSWERS)
    .slice(0, LOOKED_AT)
    .flatMap((source) => {
      const said = entryNamed({ ...asked, beside: new Set() }, [source]);
      return said === null ? [] : [{ evidence: source.evidence, said, relevance: relevance(source) }];
    })
    .sort((a, b) => b.relevance - a.relevance);
  return named(entries, (one, other) => saySame(one.said.text, other.said.text));
}

/** Whether an entry of a word that was not read may be what is asked for: where none that was read surely answers. */
function mayExplain({ evidence: { scores } }: Source, best: Evidence): boolean {
  return scores.relevance === null && (best.scores.relevance ?? 0) < SURE;
}

/** Where each section begins among these passages: what follows there but goes on. */
function startsOf(sources: readonly Source[]): Map<string, number> {
  const starts = new Map<string, number>();
  for (const { evidence } of sources) {
    const section = sectionOf(evidence);
    starts.set(section, Math.min(evidence.start, starts.get(section) ?? evidence.start));
  }
  return starts;
}

/** Whether a passage's document is named by the term. */
function isTitled({ evidence: { title } }: Source, { term, whole }: AskedEntry): boolean {
  const names = partsOfTitle(title.split(' > ')[0]!).map((part) => part.trim().toLowerCase());
  return names.includes(term.toLowerCase()) || names.includes(whole.toLowerCase());
}

/** Whether two descriptions say the same: the same numbers, and the shorter one's words stand in the longer one. */
export function saySame(one: string, other: string): boolean {
  const numbers = (text: string) => (text.match(/\p{N}+/gu) ?? []).join(' ');
  const [a, b] = [contentStems(one), contentStems(other)];
  const [shorter, longer] = a.size < b.size ? [a, b] : [b, a];
  return numbers(one) === numbers(other) && shareHeld(shorter, longer) >= AGREES;
}

/**
 * What passages say that answer a question for one value differently, where they say the same of different things: the
 * sentences are alike but for their answers, and the titles tell apart what each is about. Empty where fewer than two do,
 * or the query names which one it means.
 */
export function spanPlaces(
  query: string,
  act: Act,
  { answers, evidence }: { answers: Answers; evidence: readonly Evidence[] },
): Place[] {
  const [chosen] = answers.clusters;
  if (chosen === undefined || formAsked(query, act) !== 'span' || severalAsked(query)) return [];
  const found = evidence.flatMap((passage) => {
    const own = answers.byPassage.get(passage.passageId);
    if (own === undefined || (passage.scores.relevance ?? 0) < ANSWERS) return [];
    if (own.score < SCORE_SHARE * chosen.score) return [];
    const sentence = sentenceAt(passage.text, own.span);
    const beside =
      passage.text.slice(sentence.start, own.span.start) + passage.text.slice(own.span.end, sentence.end);
    return [{ evidence: passage, own, sentence, stems: contentStems(beside) }];
  });
  const home = found.find(({ own }) => own.cluster === 0);
  if (home === undefined) return [];
  const alike = found.filter(({ own, stems }) => {
    const [one, other] = [own.span.text, home.own.span.text];
    return likeness(stems, home.stems) >= SAME_STATEMENT && sameKind(one, other) && sameKind(other, one);
  });
  const said = alike.map(({ evidence, own, sentence }) => ({
    evidence,
    cluster: own.cluster,
    said: sentenceFormed(evidence, sentence),
  }));
  const places = named(said, (one, other) => one.cluster === other.cluster);
  const stems = contentStems(query);
  const names = places.map(({ name }) => contentStems(name));
  const isNamed = names.some((own, i) =>
    [...own].some((stem) => stems.has(stem) && !names.every((other, j) => i === j || other.has(stem))),
  );
  return places.length < 2 || isNamed ? [] : places;
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((stem) => b.has(stem)).length;
  return both / Math.max(1, a.size + b.size - both);
}

function sentenceFormed(evidence: Evidence, range: { start: number; end: number }): Formed {
  const quote = quoteOf({ source: { evidence, parts: [] }, ...range }, 'item');
  return { form: 'list', text: quote.text.replace(/\s+/g, ' '), quotes: [quote], verdict: null, cut: null };
}

/** The places with their names; those that agree with one before them are one with it. Empty where names are the same. */
function named<T extends { evidence: Evidence; said: Formed }>(
  found: readonly T[],
  agree: (one: T, other: T) => boolean,
): Place[] {
  const groups: T[][] = [];
  for (const each of found) {
    const group = groups.find(([first]) => agree(first!, each));
    if (group === undefined) groups.push([each]);
    else group.push(each);
  }
  const titles = groups.map(([first]) => headingsOf(first!));
  const names = namesOf(titles);
  if (names === null) return [];
  return groups.map((group, i) => {
    const { evidence, said } = group[0]!;
    return { name: names[i]!, evidence, said };
  });
}

/** The headings above a passage, without the term that it explains. */
function headingsOf({ evidence, said }: { evidence: Evidence; said: Formed }): string[] {
  const headings = evidence.title.split(' > ').map((heading) => heading.replace(/\s+/g, ' ').trim());
  const isTerm = headings.length > 1 && said.text.startsWith(headings.at(-1)!);
  return isTerm ? headings.slice(0, -1) : headings;
}

/** For each title the outermost heading in which they differ, with those below it where that is not enough; null: they do not differ. */
function namesOf(titles: readonly (readonly string[])[]): string[] | null {
  let depth = 0;
  while (
    titles.length > 1 &&
    titles.every((title) => title[depth] !== undefined && title[depth] === titles[0]![depth])
  ) {
    depth += 1;
  }
  for (const end of [depth + 1, undefined]) {
    const names = titles.map((title) => title.slice(depth, end).join(' > '));
    if (names.every((name) => name !== '') && new Set(names).size === names.length) return names;
  }
  return null;
}

/** What each place says, one after the other. */
export function byPlace(places: readonly Place[]): Formed {
  const cut = places.flatMap(({ name, said }) => (said.cut === null ? [] : [name]));
  return {
    form: 'list',
    text: places.map(({ name, said }) => `${name}: ${said.text.replace(/\s*\n\s*/g, ' ')}`).join('\n'),
    quotes: places.flatMap(({ name, said }) =>
      said.quotes.map((quote) => ({ ...quote, role: 'item' as const, of: name })),
    ),
    verdict: null,
    cut: cut.length === 0 ? null : `Of ${list(cut, 'and')} there is more than is shown.`,
  };
}
