/** What explains a term: its entry, a sentence that states it, the section of its name. */

import { contentStems, shareHeld } from '../../conversation/index.ts';
import {
  alternatives,
  asOneWord,
  codeIn,
  isDescription,
  sectionNames,
  withoutNumber,
} from '../../corpus/index.ts';
import type { Evidence } from '../contracts.ts';
import {
  type AskedEntry,
  holdsBeside,
  inWords,
  isBeside,
  isName,
  isOfKind,
  type Side,
  sameStems,
  shareBeside,
  wordAlone,
} from './asked.ts';
import { type Formed, places } from './excerpt.ts';
import { defines, entryOf, introduces, opening, statement, states } from './forms.ts';
import type { Composing } from './judge.ts';
import type { Quote } from './record.ts';
import { headingOf, type Source, sectionOf, sourceOf, unitsOf } from './units.ts';

/** Least relevance of a passage that answers. */
export const ANSWERS = 0.5;
/** Where the first passage has little relevance itself, this share of it is enough for a second beside it. */
const NEARLY = 0.5;
/** Passages among which the entry of a term is looked for. */
export const ENTRIES = 8;

/** Whether a passage answers likelier than not, or nearly as likely as the best, by the cross-encoder's reading of it all. */
export function answers(
  { evidence: { scores } }: Source,
  { evidence: best }: Pick<Source, 'evidence'>,
): boolean {
  return (scores.relevance ?? 0) >= Math.min(ANSWERS, NEARLY * (best.scores.relevance ?? 1));
}

/**
 * Whether what a passage says of a term is to be believed to explain it: of a name, or of a thing of the kind that the query
 * says, whatever the passage's relevance; of a word, which anything may be called, where it answers nearly as likely as the
 * `best`.
 */
export function explains(asked: AskedEntry, source: Source, best: Pick<Source, 'evidence'>): boolean {
  return isName(asked.term) || isOfKind(asked, source.evidence) || answers(source, best);
}

/** What a sentence states that the word is which alone the query asks about, else how a section of its name introduces it. */
export function statedIn(query: string, sources: readonly Source[]): Formed | null {
  const word = wordAlone(query);
  if (word === null) return null;
  const near = sources.slice(0, ENTRIES);
  const begins = (source: Source) => beginningOf(source, near) === source;
  return (
    statement(near.map(unitsOf), (sentence) => states(sentence, word)) ??
    statement(headedBy([word], near).filter(begins).map(unitsOf), (sentence) => introduces(sentence, word))
  );
}

/** Whether an entry is one of a definition list, whose author explains words. */
export function isListed({ quotes: [first] }: Formed, sources: readonly Source[]): boolean {
  const source = sourceOf(first!, sources);
  return (
    source !== undefined &&
    unitsOf(source).some((unit) => unit.kind === 'term' && places(unit).start === first!.start)
  );
}

/** Whether the span stands in a sentence that says what the term is, and the entry is but words in bold elsewhere. */
export function isOutdone(entry: Formed, { term }: AskedEntry, { span, sources }: Composing): boolean {
  const unitAt = (quote: Pick<Quote, 'passageId' | 'start' | 'end'>) => {
    const { start, end } = quote;
    const source = sourceOf(quote, sources);
    return source && unitsOf(source).find((unit) => places(unit).start < end && start < places(unit).end);
  };
  const [said, own] = [unitAt(entry.quotes[0]!), span && unitAt(span)];
  if (!said || !own || said.source === own.source || said.kind !== 'sentence') return false;
  return defines(own, term);
}

/** The names of an entry; the arguments of a function, in brackets, are none. */
function namesIn(term: string): string[] {
  return alternatives(term).flatMap((name) => (/[([{<]/.test(name) ? [name] : name.split(/[,;|]\s*/)));
}

/** The entry of the term that is asked about, in a passage that holds what else the query names: first of all in its title. */
export function entryNamed(asked: AskedEntry, sources: readonly Source[]): Formed | null {
  const about = sources
    .map((source) => ({
      source,
      share: shareBeside(asked, source.evidence),
      kind: Number(isOfKind(asked, source.evidence)),
    }))
    .filter(({ share }) => isBeside(share))
    .sort((a, b) => b.share - a.share || b.kind - a.kind)
    .map(({ source }) => source);
  const titled = about.filter(({ evidence: { title } }) => holdsBeside(asked, { title, text: '' }));
  const wanted = new Set([asked.term, asked.whole].map(folded));
  wanted.delete('');
  const named = (name: string, section: string) => {
    const { code, meaning } = codeIn(name) ?? {};
    return [...namesIn(name), code, meaning].some(
      (each) => each && (wanted.has(folded(each)) || wanted.has(`${section}.${folded(each)}`)),
    );
  };
  for (const source of new Set([...titled, ...about])) {
    // Of "[ui]" and "username" below it: "ui.username".
    const above = source.evidence.title.split(' > ').at(-2) ?? '';
    const section = folded(above.replace(/^\[|\]$/g, ''));
    const found = entryOf(unitsOf(source), (name) => named(name, section));
    if (found !== null && saysMore(found, asked)) return found;
  }
  return null;
}

/** Whether what is said behind the term of an entry is more than its name: "id: the device ID" is not. */
function saysMore({ quotes: [, ...said] }: Formed, { whole }: AskedEntry): boolean {
  const stems = contentStems(said.map(({ text }) => text).join(' '));
  return said.length === 0 || stems.size === 0 || shareHeld(stems, contentStems(whole)) < 1;
}

/**
 * The passage with which the section of the term begins: of a name, or where the section describes it or stands among things
 * of the kind that the query says, whatever its relevance, since others that mention the name are often read as likelier; of
 * other words where it is nearly as likely to answer as the best.
 */
export function sectionNamed(asked: AskedEntry | null, sources: readonly Source[]): Source | null {
  if (asked === null) return null;
  const names = [asked.term, asked.whole];
  const near = sources.slice(0, ENTRIES);
  const sections = headedBy(names, near).filter((source) => {
    const { evidence } = source;
    const sure = isName(asked.term) || describes(names, evidence) || isOfKind(asked, evidence);
    return holdsBeside(asked, evidence) && (sure || answers(source, sources[0]!));
  });
  const chosen = sections.find(({ evidence }) => isOfKind(asked, evidence)) ?? sections[0];
  return beginningOf(chosen, near);
}

/**
 * The passages of sections of one of these names, those first that describe what is called so. Words may stand in another form
 * ("Schedulers"), and the words of an identifier apart ("Focus follows mouse").
 */
function headedBy(names: readonly string[], sources: readonly Source[]): Source[] {
  const wanted = new Set(names.flatMap((name) => [folded(name), folded(inWords(name))]));
  wanted.delete('');
  const words = names.filter((name) => name !== '' && !isName(name));
  const isOne = (name: string) => wanted.has(folded(name)) || words.some((each) => sameStems(each, name));
  const of = (title: string) => sectionNames(title).some((name) => isOne(withoutNumber(name)));
  const found = sources.filter(({ evidence }) => of(evidence.title));
  const describing = ({ evidence }: Source) => Number(describes(names, evidence));
  return found.sort((a, b) => describing(b) - describing(a));
}

/** Whether a passage of a section of one of these names describes what is called so, and is not itself called "Description". */
function describes(names: readonly string[], evidence: Evidence): boolean {
  const heading = folded(headingOf(evidence));
  return isDescription(evidence.title) && !names.some((name) => folded(name) === heading);
}

/** The passage with which the section of one begins, as far as it is among these; null of none. */
export function beginningOf(one: Source | undefined, sources: readonly Source[]): Source | null {
  if (one === undefined) return null;
  const section = sectionOf(one.evidence);
  const same = sources.filter(({ evidence }) => sectionOf(evidence) === section);
  return same.reduce((a, b) => (b.evidence.start < a.evidence.start ? b : a));
}

/** What is said of a thing that is compared: its entry, else how its section begins. */
export function saidOf(side: Side, sources: readonly Source[]): Formed | null {
  const entry = entryNamed(side, sources);
  if (entry !== null) return entry;
  const sections = headedBy([side.name, side.term], sources);
  const section = beginningOf(sections[0], sections);
  return section === null ? null : opened(section);
}

export function opened(section: Source): Formed | null {
  return opening(unitsOf(section).filter(({ kind }) => kind !== 'heading'));
}

/** A term without what differs between a question and an entry: case (but of an option), quotes, brackets, and an option's argument. */
function folded(term: string): string {
  const bare = term
    .replace(/\s*¶\s*$/u, '')
    .replace(/^[\s"'`‘’“”(]+/u, '')
    .replace(/^\$(?=\p{L})/u, '')
    .replace(/^<([^<>]+)>/u, '$1')
    .replace(/(?:[=[<(].*)?$/su, '')
    .replace(/["'`‘’“”:.,\s]+$/u, '');
  return bare.startsWith('-') ? bare.split(/\s/, 1)[0]! : asOneWord(bare.toLowerCase());
}
