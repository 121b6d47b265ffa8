/** Where in the collection a question is answered from: a folder that its words name, and folders that answer it differently. Pure. */

import { list, quoted } from '../common/index.ts';
import {
  type ClarifyingQuestion,
  type FirstProposal,
  onlyNamed,
  proposedPlace,
  whereQuestion,
  wordsIn,
} from '../conversation/index.ts';
import type { IndexBackend } from '../corpus/index.ts';
import { ANSWERS, formAsked, saySame } from './answer/index.ts';
import type { Evidence, Filters, Reason } from './contracts.ts';
import type { Outcome } from './decision/index.ts';
import type { Parts, Trail } from './trail.ts';

interface Folder {
  name: string;
  docIds: string[];
}

type DocumentList = Pick<IndexBackend, 'documents'>;

/** By the folded name. Folders of one name in several places ("v2" of each product) are one. */
const KNOWN = new WeakMap<DocumentList, ReadonlyMap<string, Folder>>();

const LONGEST_NAME = 80;

const folded = (name: string) => name.normalize('NFKC').trim().toLowerCase();

/** The folders that a document lies in, outermost first. */
const pathOf = (docId: string) => docId.split('/').slice(0, -1);

function foldersOf(index: DocumentList): ReadonlyMap<string, Folder> {
  const known = KNOWN.get(index);
  if (known !== undefined) return known;
  const folders = new Map<string, Folder>();
  for (const { docId } of index.documents) {
    for (const name of new Set(pathOf(docId))) {
      const key = folded(name);
      const folder = folders.get(key);
      if (folder === undefined) folders.set(key, { name, docIds: [docId] });
      else if (folder.docIds.at(-1) !== docId) folder.docIds.push(docId);
    }
  }
  // Where everything lies there is nothing to choose.
  for (const [key, { docIds }] of folders)
    if (key === '' || docIds.length === index.documents.length) folders.delete(key);
  KNOWN.set(index, folders);
  return folders;
}

/** A question that names a folder of the collection in brackets at its end, "What is the limit (v2)?". */
export interface Looking {
  /** The question without it. */
  text: string;
  where: string;
  /** What lies in the folder, and among what the query asks for. */
  filters: Filters;
}

/** Where the question says that it is to be looked; null where it says nothing, or names no folder. */
export function lookingIn(index: DocumentList, query: string, filters: Filters | undefined): Looking | null {
  const body = query.trimEnd().replace(/[?.!\s]{1,10}$/, '');
  const open = body.endsWith(')') ? body.lastIndexOf('(') : -1;
  if (open < 0 || body.length - open > LONGEST_NAME) return null;
  const folder = foldersOf(index).get(folded(body.slice(open + 1, -1)));
  if (folder === undefined) return null;
  const asked = filters?.docId === undefined ? null : new Set(filters.docId);
  return {
    text: body.slice(0, open).trimEnd() + query.trimEnd().slice(body.length).trimStart(),
    where: folder.name,
    filters: { ...filters, docId: folder.docIds.filter((docId) => asked === null || asked.has(docId)) },
  };
}

/** Questions back, and silences, that are settled by knowing where to look. */
const SETTLED: ReadonlySet<Reason> = new Set(['CONFLICTING_EVIDENCE', 'BRANCHES_DISAGREE', 'UNCERTAIN']);

export interface WhereToLook {
  question: ClarifyingQuestion;
  /** The folder in which most of what answers lies, else the best passage. */
  first: FirstProposal;
  /** The one among them that the question names in its own words; null where it names none or several. */
  named: string | null;
  /** The one that the user named last in this conversation, where a turn said nothing else; `turn`: its place in the history. */
  said: { value: string; turn: number } | null;
}

/**
 * The question where to look, and what the collection itself proposes, where passages that answer lie in several folders that
 * do not say the same. Null where defaults are not learned, where a calibration promises something, where another rule has the
 * last word, where it is said already, and where something else stands in the way of an answer.
 */
export function whereToLook(outcome: Outcome, trail: Trail, parts: Parts): WhereToLook | null {
  const { habits, thresholds, decider } = parts;
  const { action, definition } = outcome;
  const refusal = outcome.clarification ?? outcome.abstention;
  if (habits === null || thresholds.passages === undefined || decider !== 'thresholds') return null;
  if (trail.where !== null || definition !== undefined) return null;
  if (action !== 'ANSWER' && !(refusal !== undefined && SETTLED.has(refusal.reason))) return null;
  const answering = trail.evidence.filter(({ scores }) => (scores.relevance ?? 0) >= ANSWERS);
  const groups = byFolder(answering);
  const [most, ...others] = groups;
  if (most === undefined || !others.some((other) => !same(trail, most.passages[0]!, other.passages[0]!)))
    return null;
  const named = namedIn(trail.query, groups);
  const more = most.passages.length > others[0]!.passages.length;
  const lies = more
    ? `most of what answers this lies (${most.passages.length} of ${answering.length} passages)`
    : 'the passage that answers best lies';
  const rest = list(others.map(({ value }) => quoted(value)).slice(0, 3), 'and');
  return {
    question: whereQuestion(
      trail.query,
      // More than a few are not offered.
      [...groups]
        .sort((a, b) => Number(b.value === named) - Number(a.value === named))
        .map(({ value, passages, weight }) => ({
          value,
          passageIds: passages.map(({ passageId }) => passageId),
          weight,
        })),
    ),
    first: {
      value: most.value,
      words: proposedPlace(most.value, lies),
      taken: `Looked in "${most.value}", where ${lies}; ${rest} may say otherwise: reply with a name to look there.`,
      from: 'COLLECTION',
    },
    named,
    said: saidIn(trail.history, groups),
  };
}

interface Group {
  value: string;
  /** Best first. */
  passages: Evidence[];
  /** Share of the relevance of all of them. */
  weight: number;
}

/**
 * Passages, best first, by the outermost folder in which they differ; the folder with most of them first, then the one with the
 * best. Those that lie in no such folder are left out.
 */
function byFolder(passages: readonly Evidence[]): Group[] {
  const paths = passages.map(({ docId }) => pathOf(docId));
  let depth = 0;
  while (paths.length > 0 && paths.every((path) => path.length > depth && path[depth] === paths[0]![depth]))
    depth += 1;
  const groups = new Map<string, { value: string; passages: Evidence[]; sum: number }>();
  passages.forEach((passage, i) => {
    const value = paths[i]![depth];
    if (value === undefined || value.length > LONGEST_NAME) return;
    const group = groups.get(folded(value)) ?? { value, passages: [], sum: 0 };
    group.passages.push(passage);
    group.sum += passage.scores.relevance ?? 0;
    groups.set(folded(value), group);
  });
  const all = [...groups.values()];
  const total = all.reduce((sum, group) => sum + group.sum, 0);
  return all
    .sort((a, b) => b.passages.length - a.passages.length)
    .map(({ value, passages: own, sum }) => ({ value, passages: own, weight: sum / total }));
}

/** Whether two passages answer alike: with one span where that is asked for, else in the same words. */
function same({ query, act, answers }: Trail, one: Evidence, other: Evidence): boolean {
  const [a, b] = [one, other].map(({ passageId }) => answers.byPassage.get(passageId)?.cluster);
  const single = formAsked(query, act.label) === 'span' && a !== undefined && b !== undefined;
  return single ? a === b : saySame(one.text, other.text);
}

function saidIn(history: Trail['history'], groups: readonly Group[]): WhereToLook['said'] {
  const values = groups.map(({ value }) => value);
  for (let turn = history.length - 1; turn >= 0; turn -= 1) {
    const { role, text } = history[turn]!;
    const value = role === 'user' ? onlyNamed(values, text) : null;
    if (value !== null) return { value, turn };
  }
  return null;
}

function namedIn(query: string, groups: readonly Group[]): string | null {
  const wordsOf = (text: string) =>
    ` ${wordsIn(folded(text))
      .map((word) => word.text)
      .join(' ')} `;
  const asked = wordsOf(query.slice(0, 2_000));
  const named = groups.filter(({ value }) => wordsOf(value).trim() !== '' && asked.includes(wordsOf(value)));
  return named.length === 1 ? named[0]!.value : null;
}
