/** Questions that nothing in an index answers, each checked against the words of all of it. Pure. */
import type { IdentifierTable, Passage } from '../../router/index.ts';
import { documentOf } from '../labels/examples.ts';
import {
  type Asking,
  type Entry,
  entriesIn,
  isCodeWithNumber,
  NOBODY_ASKS,
  oneLine,
  type Proposal,
  questionsOf,
  termQuestion,
} from './questions.ts';

/** What may be asked of a thing, and what a passage that names it would have to hold to answer. */
const PROPERTIES: readonly { ask: (name: string) => string; told: RegExp; named: boolean }[] = [
  {
    ask: (name) => `How much does ${name} cost?`,
    named: true,
    told: /[$€£¥]|\b(?:costs?|prices?|priced|fees?|free of charge|euros?|dollars?|pounds?|paid|pay|charged?|cheap|expensive|budget)\b/i,
  },
  {
    ask: (name) => `In which year was ${name} introduced?`,
    named: false,
    told: /\b(?:1[89]|20)\d\d\b|\b(?:since|introduced|released?|first appeared|years? ago|added in|new in|history)\b/i,
  },
  {
    ask: (name) => `Who invented ${name}?`,
    named: true,
    told: /\b(?:invent\w*|authors?|written by|wrote|created by|creators?|designed by|develop\w+ by|founded|maintain\w*|by \p{Lu}\p{Ll}+ \p{Lu}|copyright)\b/iu,
  },
];

/** An option that so many passages explain may be one of every command. */
const COMMON = 3;

/** What a passage defines in a sentence of its own, as a question names it; null where it defines nothing. */
function thingIn(index: Asking, ordinal: number): string | null {
  for (const { kind, label } of questionsOf(index, ordinal)) {
    const thing = kind === 'definition' ? /^What is (.+)\?$/.exec(label.query)?.[1] : undefined;
    if (thing !== undefined) return thing;
  }
  return null;
}

/**
 * Of a passage: a property that no passage names of what it defines, its option asked of a document that does not hold
 * it, and a name that is put together of two of its terms and that nothing has. `other`: an ordinal of another document,
 * if there is one.
 */
export function absentFrom(index: Asking, ordinal: number, other: number | null, turn: number): Proposal[] {
  const passage = index.passages[ordinal]!;
  if (NOBODY_ASKS.test(passage.title)) return [];
  const entries = entriesIn(passage, index.partsOf(ordinal)).filter(({ term }) => term.length >= 4);
  return [
    ...absentProperty(index, passage, ordinal, turn),
    ...(other === null ? [] : absentOption(index, passage, entries, other)),
    ...absentName(index, passage, entries, ordinal),
  ];
}

function absentProperty(index: Asking, passage: Passage, ordinal: number, turn: number): Proposal[] {
  const { ask, told, named } = PROPERTIES[turn % PROPERTIES.length]!;
  const thing = thingIn(index, ordinal);
  if (thing === null || (named && !/^(?:the )?\p{Lu}/u.test(thing))) return [];
  const naming = passagesNaming(index.passages, thing.replace(/^(?:an?|the) /, ''));
  const silent = naming.length > 0 && naming.every((each) => !told.test(each.text));
  return silent ? [absent(ask(thing), passage, ordinal)] : [];
}

function absentOption(index: Asking, passage: Passage, entries: readonly Entry[], other: number): Proposal[] {
  const option = entries.find(({ term }) => term.startsWith('-') && index.entriesOf(term).length < COMMON);
  const home = index.passages[other]!;
  if (option === undefined || home.docId === passage.docId || NOBODY_ASKS.test(home.title)) return [];
  const holds = index.passages.some((each) => each.docId === home.docId && each.text.includes(option.term));
  const query = termQuestion(index, home, option.term);
  return holds || query === null ? [] : [absent(query, home, other)];
}

const SEGMENTS = /^(\W{0,2}\w.*[-._/])([^-._/()]{3,})$/u;

function absentName(index: Asking, passage: Passage, entries: readonly Entry[], ordinal: number): Proposal[] {
  const next = index.passages[ordinal + 1];
  const more = next?.docId === passage.docId ? entriesIn(next, index.partsOf(ordinal + 1)) : [];
  const [one] = entries.flatMap(({ term }) => SEGMENTS.exec(term)?.[1] ?? []);
  const others = [...more, ...entries].flatMap(({ term }) => SEGMENTS.exec(term)?.[2] ?? []);
  for (const last of one === undefined ? [] : others) {
    const name = `${one}${last}`;
    if (passagesNaming(index.passages, name).length > 0 || one!.includes(last)) continue;
    const query = name.startsWith('-') ? `What does the option ${name} do?` : `What is ${name} for?`;
    return [absent(query, passage, ordinal)];
  }
  return [];
}

/** The identifier behind the last one of its family that a passage names. */
export function absentIdentifier(index: Asking, identifiers: IdentifierTable, ordinal: number): Proposal[] {
  const passage = index.passages[ordinal]!;
  const code = identifiers.extract(passage.title.slice(0, 200)).find(({ id }) => isCodeWithNumber(id));
  if (code === undefined) return [];
  const [, head, digits] = /^(.*?)(\d+)$/.exec(code.id)!;
  for (let next = Number(digits) + 7; next < Number(digits) + 60; next += 1) {
    const id = `${head}${String(next).padStart(digits!.length, '0')}`;
    if (!identifiers.has(id) && passagesNaming(index.passages, id).length === 0) {
      return [absent(`What is ${id} about?`, passage, ordinal)];
    }
  }
  return [];
}

/**
 * Questions about documents that were left out: what `removed` can be asked of its terms and headings, where no passage of
 * `index` names these.
 */
export function absentByRemoval(index: Asking, removed: Asking, ordinal: number): Proposal[] {
  const passage = removed.passages[ordinal]!;
  if (index.documents.some(({ docId }) => docId === passage.docId)) return [];
  const terms = entriesIn(passage, removed.partsOf(ordinal)).map(({ term }) => term);
  return questionsOf(removed, ordinal)
    .filter(({ label: { query } }) =>
      terms.some((term) => query.includes(term) && passagesNaming(index.passages, term).length === 0),
    )
    .map(({ label: { query } }) => absent(query, passage, ordinal));
}

function absent(query: string, { passageId }: Passage, ordinal: number): Proposal {
  return {
    kind: 'absent',
    label: { query, answerable: false, group: documentOf(passageId) },
    answer: null,
    ordinal,
  };
}

/** Passages that hold a name, case and white space aside. */
function passagesNaming(passages: readonly Passage[], name: string): Passage[] {
  const wanted = name.toLowerCase();
  return passages.filter(({ text, title }) => oneLine(`${title} ${text}`).toLowerCase().includes(wanted));
}
