/** Text that documents hide from their readers, where it bears on a query: quoted as what it is, and no evidence. */
import { quoted } from '../../common/index.ts';
import { contentStems } from '../../conversation/index.ts';
import { type DocumentEntry, type HiddenTexts, isConcealed } from '../../corpus/index.ts';
import type { Evidence } from '../contracts.ts';
import { addressesMachine } from './instructions.ts';
import { nameOf } from './suggestions.ts';
import type { Concealed } from './types.ts';

type HiddenText = HiddenTexts['texts'][number];

/** Documents of the evidence that are looked at, and stretches that are named. */
const DOCUMENTS = 3;
const MOST = 3;
/** Share of the query's words that a stretch holds to bear on it. */
const BEARS = 0.5;
const EXCERPT = 120;

/** By document; made once an index. */
const byDocument = new WeakMap<readonly DocumentEntry[], ReadonlyMap<string, HiddenTexts>>();
function hiddenTexts(documents: readonly DocumentEntry[]): ReadonlyMap<string, HiddenTexts> {
  let known = byDocument.get(documents);
  if (known === undefined) {
    const all = documents.flatMap(({ docId, hidden }) =>
      hidden === undefined ? [] : [[docId, hidden] as const],
    );
    known = new Map(all);
    byDocument.set(documents, known);
  }
  return known;
}

/** Whether a stretch talks to a machine; each is looked at once. */
const looked = new WeakMap<HiddenText, boolean>();
function talksToMachine(hidden: HiddenText): boolean {
  let found = looked.get(hidden);
  if (found === undefined) {
    found = addressesMachine(hidden.text) !== null;
    looked.set(hidden, found);
  }
  return found;
}

/**
 * What the documents of the evidence hide and the query should know of: what talks to a machine, wherever it stands, and
 * what holds half of the query's words and was concealed. Comments and alternative text are usual: of them only the first
 * counts. What holds the query's words first, three at most.
 */
export function concealedFor(
  documents: readonly DocumentEntry[],
  query: string,
  evidence: readonly Evidence[],
): Concealed[] {
  const texts = hiddenTexts(documents);
  if (texts.size === 0) return [];
  const asked = contentStems(query.slice(0, 1_000));
  const bears = ({ kind, text }: HiddenText) => {
    if (!isConcealed(kind) || asked.size === 0) return false;
    const held = contentStems(text);
    return [...asked].filter((stem) => held.has(stem)).length >= BEARS * asked.size;
  };
  const bearing: Concealed[] = [];
  const others: Concealed[] = [];
  const seen = new Set<string>();
  for (const { docId, title, source } of evidence) {
    if (seen.has(docId)) continue;
    seen.add(docId);
    if (seen.size > DOCUMENTS) break;
    for (const hidden of texts.get(docId)?.texts ?? []) {
      const concealed = { ...hidden, docId, title, source };
      if (bears(hidden)) bearing.push(concealed);
      else if (talksToMachine(hidden)) others.push(concealed);
    }
  }
  return [...bearing, ...others].slice(0, MOST);
}

/** In words, what was hidden where; the first of it is quoted. */
export function concealedTold(concealed: readonly Concealed[]): string {
  const { kind, text, position, source, ...first } = concealed[0]!;
  const excerpt = text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
  const more = concealed.length > 1 ? `, as were ${concealed.length - 1} more` : '';
  const where = `${quoted(nameOf(first))} (${source}, ${position})`;
  return `${where} holds text that its reader does not see, ${kind}: ${quoted(excerpt)}. It was left out${more}.`;
}
