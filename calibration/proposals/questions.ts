/** What a passage can be asked: questions made of its terms, headings, lists and sentences by rules. Pure. */
import { type CorpusIndex, type Part, type Passage, sentences } from '../../router/index.ts';
import type { Labelled } from '../types.ts';
import { askedOf, asMine, openingPattern } from './clauses.ts';

export const KINDS = [
  'definition',
  'term',
  'procedure',
  'quantity',
  'verdict',
  'reason',
  'place',
  'heading',
  'comparison',
  'identifier',
  'absent',
] as const;
export type Kind = (typeof KINDS)[number];

/** A question that is put to a person, with what would be its label. */
export interface Proposal {
  kind: Kind;
  label: Omit<Labelled, 'id'>;
  /** The answer as the documents word it, for a person to read; null: where it stands is all that is known. */
  answer: string | null;
  /** Where its answer stands; of a question that nothing answers, what comes nearest. */
  ordinal: number;
}

/** An index as far as questions are made of it. */
export type Asking = Pick<CorpusIndex, 'passages' | 'documents' | 'partsOf' | 'entriesOf'>;

const MOST_TERMS = 12;
/** Of what documents are about that nobody asks for. */
export const NOBODY_ASKS =
  /\b(?:licen[sc]es?|copying|copyright|change ?log|changes in|release notes|contributors|acknowledge?ments|colophon|bibliography)\b/i;
const MOST_SENTENCES = 40;

/** Everything that a passage can be asked, in the order of its text. */
export function questionsOf(index: Asking, ordinal: number): Proposal[] {
  const passage = index.passages[ordinal]!;
  if (NOBODY_ASKS.test(passage.title)) return [];
  return [
    ...headingQuestions(index, ordinal),
    ...termQuestions(index, ordinal),
    ...sentenceQuestions(passage, index.partsOf(ordinal)).map(({ kind, query, right, answer }): Proposal => {
      const label = { query, ...right, passages: [passage.passageId] };
      return { kind, label, answer, ordinal };
    }),
  ];
}

/** The text of a part, as far as it lies in the passage, on one line. */
function within({ text, start }: Passage, part: { start: number; end: number }): string {
  return oneLine(text.slice(Math.max(0, part.start - start), Math.max(0, part.end - start)));
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A term with what its author says of it. */
export interface Entry {
  term: string;
  said: string;
  list: number | null;
}

const LEAST_WORDS = 4;

/** The entries of a passage: of definition lists, options in tables, and what stands behind a term in bold. */
export function entriesIn(passage: Passage, parts: readonly Part[]): Entry[] {
  const found: Entry[] = [];
  const add = (written: string | null, said: string, list: number | null) => {
    const term = written === null ? null : plainTerm(written);
    if (term === null || said.split(' ').length < LEAST_WORDS || found.length >= MOST_TERMS) return;
    found.push({ term, said, list });
  };
  for (const part of parts) {
    const { kind, list, position, term } = part;
    if (kind === 'term') {
      const description = parts.find(
        (other) => other.kind === 'description' && other.list === list && other.position === position,
      );
      if (description !== undefined) add(within(passage, part), within(passage, description), list);
    } else if (kind === 'row' && position !== 0 && term !== null && isCode(term)) {
      add(term, within(passage, part).slice(term.length).trim(), list);
    } else if ((kind === 'paragraph' || kind === 'item') && term !== null) {
      const text = within(passage, part);
      const rest = text.startsWith(term) ? text.slice(term.length) : '';
      if (/^\s*(?:[:.–—]|-\s)/.test(rest)) add(term, rest.replace(/^[\s:.–—-]+/, ''), list);
    }
  }
  return found;
}

/** A term by one of its names and without its arguments; null where it is none that one could ask about. */
function plainTerm(written: string): string | null {
  const line = oneLine(written).replace(/\s*¶$/u, '');
  const long = /(?:^|[\s,|/[(])(--[\p{L}\p{N}][\p{L}\p{N}-]*)/u.exec(line)?.[1];
  const option = long ?? /^(-[\p{L}\p{N}][\p{L}\p{N}-]*)/u.exec(line)?.[1];
  if (option !== undefined) return option;
  const call = /^([\p{L}_][\p{L}\p{N}_.:]*)\s?\(/u.exec(line)?.[1];
  if (call !== undefined) return `${call}()`;
  const first = line.split(/,\s|\s(?:or|and|\|)\s/)[0]!;
  const bare = first.replace(/(?:[=[({<]|\s-).*$/u, '').replace(/^["'“‘`]+|["'”’`.:;,\s]+$/gu, '');
  const words = bare.split(' ');
  const fits = /^[\p{L}_$.][^?!;]*$/u.test(bare) && bare.length <= 48 && bare.length > 1 && words.length <= 5;
  return fits &&
    !GENERAL.test(bare) &&
    !/^(?:to|if|when|how|why|what|for|in|on|with|by|and|or|is|are)\b/i.test(bare)
    ? bare
    : null;
}

/** Headings and bold words that stand in every document. */
const GENERAL =
  /^(?:notes?|warnings?|tips?|important|caution|examples?|see also|synopsis|description|options?|arguments?|parameters?|returns?|raises|usage|name|overview|introduction|summary|background|conclusion|contents?|references?|bugs?|authors?|copyright|licen[sc]e|history|files|status|date|version|question|answer|context|decision|consequences|other|miscellaneous|general|default|output|input|first|second|third|yes|no|true|false|none|[a-z0-9])$/i;

/** Whether a term is written as programs are: an option, a call, a path, a variable. */
function isCode(term: string): boolean {
  return /^-|[_$/\\]|\(\)|\p{Ll}\.\p{Ll}|\p{Ll}\p{Lu}|^[\p{Lu}\d]{3,}$/u.test(term);
}

/** "ADR-0012", "RFC 7231"; not "chapter 3", which stands in every document. */
export function isCodeWithNumber(id: string): boolean {
  return /^\p{Lu}{1,8}[- ]\d+$/u.test(id);
}

const LIKE_OPTION = /^-/;

function termQuestions(index: Asking, ordinal: number): Proposal[] {
  const passage = index.passages[ordinal]!;
  const entries = entriesIn(passage, index.partsOf(ordinal));
  const own = entries.flatMap(({ term, said }): Proposal[] => {
    const query = termQuestion(index, passage, term);
    if (query === null) return [];
    const known = homesOf(index, term, ordinal);
    const alone = known.length === 1;
    // A plain word that is explained more than once means something in its place.
    if (!alone && /^\p{Ll}+$/u.test(term)) return [];
    const passages = known.map((each) => index.passages[each]!.passageId);
    // Where several entries explain it, any of them answers, and none is sure to begin alike.
    const right = alone ? { patterns: [openingPattern(said)] } : {};
    return [{ kind: 'term', label: { query, ...right, passages }, answer: said, ordinal }];
  });
  return [...own, ...comparisonOf(index, passage, entries, ordinal)];
}

/** The passages that explain a term; of an option those of its own document. */
function homesOf(index: Asking, term: string, ordinal: number): number[] {
  const { docId } = index.passages[ordinal]!;
  const own = LIKE_OPTION.test(term);
  const homes = index
    .entriesOf(term)
    .filter((each) => !own || index.passages[each]!.docId === docId)
    .filter(
      (each) =>
        each === ordinal ||
        entriesIn(index.passages[each]!, index.partsOf(each)).some((one) => one.term === term),
    )
    .slice(0, MOST_TERMS);
  return homes.includes(ordinal) ? homes : [ordinal, ...homes];
}

/** Null where nobody could tell what is meant. */
export function termQuestion(index: Asking, passage: Passage, term: string): string | null {
  const name = nameOf(passage);
  if (LIKE_OPTION.test(term)) {
    if (index.documents.length === 1) return `What does the option ${term} do?`;
    return name === null ? null : `What does the option ${term} of ${name} do?`;
  }
  if (term.endsWith('()')) return `What does ${term} do?`;
  if (isCode(term)) return /^[\p{Lu}\d_]{3,}$/u.test(term) ? `What is ${term}?` : `What is ${term} for?`;
  if (/^\p{Lu}[\p{L}\p{N}]*(?: \p{Lu}[\p{L}\p{N}]*)*$/u.test(term) && term.includes(' '))
    return `What is ${term}?`;
  return `What does "${term}" mean?`;
}

/** What a document is called in a question: its title up to the first mark; null where that is no short name. */
function nameOf({ title }: Passage): string | null {
  const name = title
    .split(' > ')[0]!
    .split(/\s+[—–-]+\s+|:\s|\s\(/)[0]!
    .trim();
  if (/^(?:chapter|appendix|part|section|preface|introduction|overview|index)\b/i.test(name)) return null;
  return name.split(' ').length <= 3 && name.length <= 40 && /^[\p{L}\p{N}]/u.test(name) ? name : null;
}

/** Two neighbouring entries that are about like things. */
function comparisonOf(
  index: Asking,
  passage: Passage,
  entries: readonly Entry[],
  ordinal: number,
): Proposal[] {
  const [one] = entries;
  const next = index.passages[ordinal + 1];
  if (one === undefined || next === undefined || next.docId !== passage.docId) return [];
  const others = [...entries.slice(1), ...entriesIn(next, index.partsOf(ordinal + 1))];
  const other = others.find(({ list }) => list !== null && list === one.list);
  if (other === undefined || other.term === one.term || alike(one.said, other.said) < 3) return [];
  if (!isCode(one.term) || !isCode(other.term)) return [];
  const name = index.documents.length > 1 ? nameOf(passage) : null;
  if (LIKE_OPTION.test(one.term) && index.documents.length > 1 && name === null) return [];
  const where = LIKE_OPTION.test(one.term) && name !== null ? ` in ${name}` : '';
  const query = `What is the difference between ${one.term} and ${other.term}${where}?`;
  const passages = [passage.passageId, ...(entries.includes(other) ? [] : [next.passageId])];
  return [
    {
      kind: 'comparison',
      label: { query, passages },
      answer: `${one.term}: ${one.said} | ${other.term}: ${other.said}`,
      ordinal,
    },
  ];
}

/** How many longer words two texts share. */
function alike(one: string, other: string): number {
  const words = (text: string) => new Set(text.toLowerCase().match(/\p{L}{4,}/gu) ?? []);
  const held = words(other);
  return [...words(one)].filter((word) => held.has(word)).length;
}

function sentenceQuestions(passage: Passage, parts: readonly Part[]) {
  const { text, start } = passage;
  const excluded = parts.filter(
    ({ kind }) => kind === 'code' || kind === 'row' || kind === 'heading' || kind === 'term',
  );
  const within = parts.filter(
    ({ kind }) => kind === 'paragraph' || kind === 'description' || kind === 'item',
  );
  const stretches = within.length > 0 ? within : [{ start, end: start + text.length }];
  const seen = new Set<number>();
  return stretches
    .flatMap((part) =>
      sentences(text, Math.max(0, part.start - start), Math.min(text.length, part.end - start)),
    )
    .filter(({ start: from, end: to }) => {
      if (seen.has(from) || seen.size >= MOST_SENTENCES) return false;
      seen.add(from);
      return !excluded.some((part) => part.start < to + start && part.end > from + start);
    })
    .flatMap(({ start: from, end: to }) => askedOf(oneLine(text.slice(from, to)), passage.title));
}

const MOST_STEPS = 30;
const MOST_STEP_WORDS = 150;
const STEP_WORDS = 6;

/** What the innermost heading of a passage asks for: a question as it stands, or a thing that is to be done. */
function headingQuestions(index: Asking, ordinal: number): Proposal[] {
  const passage = index.passages[ordinal]!;
  const path = passage.title.split(' > ');
  const heading = path
    .at(-1)!
    .split(/\s+[—–]\s+/, 1)[0]!
    .replace(/^[\d.]+\s+/, '')
    .replace(/\s*¶$/u, '')
    .trim();
  // Of a section that goes on over passages the first is asked about.
  const before = index.passages[ordinal - 1];
  if (before?.title === passage.title && before.docId === passage.docId) return [];
  const section = [ordinal];
  while (index.passages[section.at(-1)! + 1]?.title === passage.title && section.length < 5)
    section.push(section.at(-1)! + 1);
  // What a title asks for may be told anywhere below it.
  const passages =
    path.length === 1 ? [passage.docId] : section.map((each) => index.passages[each]!.passageId);
  if (
    /^(?:what|why|how|when|where|who|which|can|do|does|is|are|should|may|must)\b[^?]{8,120}\?$/i.test(heading)
  ) {
    return [{ kind: 'heading', label: { query: heading, passages }, answer: null, ordinal }];
  }
  const deed = deedOf(heading);
  if (deed === null) return [];
  const steps = stepsOf(passage, index.partsOf(ordinal));
  if (steps === null && !tellsHow(passage, index.partsOf(ordinal))) return [];
  const right = steps === null ? {} : { steps };
  return [
    {
      kind: 'procedure',
      label: { query: `How do I ${deed}?`, ...right, passages },
      answer: steps === null ? null : steps.join(' … '),
      ordinal,
    },
  ];
}

/** "Restoring the archive", "How to restore the archive", "Restore the archive": what is done. Null for other headings. */
function deedOf(heading: string): string | null {
  if (/\b(?:examples?|(?:the )?(?:outputs?|results?|options?|arguments?|overview|reference))$/i.test(heading))
    return null;
  if (heading.length > 90 || /[:;?!()[\]{}"“”<>=|`]/.test(heading)) return null;
  const how = /^how (?:do i |do you |can i |can you |i |to )(.{5,})$/i.exec(heading)?.[1];
  if (how !== undefined) return asMine(decapitalised(how));
  const [first, ...rest] = heading.split(' ');
  if (
    rest.length === 0 ||
    /^(?:and|or|of|vs|is|are|for|by|under|using|with|via|from|in|on|at|to)$/i.test(rest[0]!)
  )
    return null;
  const base = verbOf(first!.toLowerCase());
  return base === null || !/^\p{Lu}/u.test(first!) ? null : asMine([base, ...smallWords(rest)].join(' '));
}

/** A heading in title case is read as a sentence: words that are no names in small letters. */
function smallWords(words: readonly string[]): string[] {
  const capitals = words.filter((word) => /^\p{Lu}\p{Ll}+$/u.test(word)).length;
  const title = capitals > 0 && words.every((word) => !/^\p{Ll}{4,}$/u.test(word));
  return title
    ? words.map((word) => (/^\p{Lu}\p{Ll}+$/u.test(word) ? word.toLowerCase() : word))
    : [...words];
}

function decapitalised(text: string): string {
  return /^\p{Lu}\p{Ll}/u.test(text) ? `${text[0]!.toLowerCase()}${text.slice(1)}` : text;
}

/** Verbs of things that are done to documents, machines and programs. */
const DEEDS = new Set(
  (
    'access activate add adjust allow apply archive assemble assign attach back backup boot bind block build calculate call cancel change charge check ' +
    'choose clean clear clone close combine compare compile compute configure confirm connect contact control convert copy correct ' +
    'create customise customize debug declare decrypt define delete deploy descale detect disable disconnect display divide download drop ' +
    'edit eject embed enable encrypt end enter erase escape execute exit expand export extend extract fetch file fill filter find fix format generate ' +
    'get give group handle hide identify ignore import improve include increase index initialise initialize insert inspect install invoke join keep kill ' +
    'label launch limit link list load locate lock log lower make manage map mark match measure merge migrate modify monitor mount ' +
    'mount move navigate nest obtain open order organise organize override pack parse pass paste patch pause pay perform pick place play plot ' +
    'prepare press prevent print produce protect provide publish purge put quit quote raise read reboot recompile record recover redirect reduce ' +
    'refer refresh register reinstall reload remove rename renew repair repeat replace replay report request reset resize resolve restart restore ' +
    'resume retrieve return reuse revert review rotate run save scale schedule search secure select send separate set share shorten show ' +
    'shut sign skip sort specify split start stop store submit suppress suspend swap switch synchronise synchronize tag take terminate test track train ' +
    'transfer translate trigger turn undo uninstall unlock unmount unpack update upgrade upload use validate verify view visit wait warn wash watch wrap write'
  ).split(' '),
);

/** The base of a word that names a deed: "restoring", "restore". */
function verbOf(word: string): string | null {
  if (DEEDS.has(word)) return word;
  if (!word.endsWith('ing')) return null;
  const stem = word.slice(0, -3);
  const undoubled = /([^aeiouls])\1$/.test(stem) ? stem.slice(0, -1) : stem;
  return [stem, `${stem}e`, undoubled].find((base) => DEEDS.has(base)) ?? null;
}

/** The beginnings of the items of the first numbered list of a passage, in order; null: there is none, or it is too long to be shown. */
function stepsOf(passage: Passage, parts: readonly Part[]): string[] | null {
  const first = parts.find(({ kind, ordered, list }) => kind === 'item' && ordered && list !== null);
  if (first === undefined) return null;
  const items = parts.filter(({ kind, list }) => kind === 'item' && list === first.list);
  const [end] = items.map((item) => item.end).slice(-1);
  const texts = items.map((item) => within(passage, item));
  const words = texts.reduce((sum, text) => sum + text.split(' ').length, 0);
  const cut = end! > passage.end || first.position !== 1;
  if (cut || items.length < 2 || items.length > MOST_STEPS || words > MOST_STEP_WORDS) return null;
  const steps = texts.map((text) =>
    text
      .split(/(?<=[.;:])\s/)[0]!
      .split(' ')
      .slice(0, STEP_WORDS)
      .join(' '),
  );
  return steps.every((step) => /[\p{L}\p{N}]/u.test(step)) ? steps : null;
}

/** Whether a passage shows commands or says what to do. */
function tellsHow({ text }: Passage, parts: readonly Part[]): boolean {
  return (
    parts.some(({ kind }) => kind === 'code') ||
    /\b(?:you can|you (?:must|should|need)|use the|run|press|click|type|select|choose)\b/i.test(text)
  );
}
