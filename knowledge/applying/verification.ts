/** Whether a staged generation is what was approved: before it becomes the index, and by what it answers. */
import { createHash } from 'node:crypto';
import type { CorpusIndex, Passage } from '../../corpus/index.ts';
import type { Router } from '../../router/index.ts';
import type { Difference } from '../assessing/difference.ts';
import { newSentences } from '../assessing/difference.ts';
import type { Ticket } from '../tickets/ticket.ts';

/** New sentences of a document that are looked for, the longest: they say most. */
const LOOKED_FOR = 3;
const BRANCHES = ['lexical', 'dense'] as const;
/** They have to be found among so many passages. */
const AMONG = 10;

/** Documents that are otherwise in one than in the other. */
export function changedBetween(
  before: Pick<CorpusIndex, 'documents'>,
  after: Pick<CorpusIndex, 'documents'>,
): string[] {
  const [old, fresh] = [before, after].map(
    ({ documents }) => new Map(documents.map(({ docId, hash }) => [docId, hash])),
  ) as [Map<string, string>, Map<string, string>];
  return [...new Set([...old.keys(), ...fresh.keys()])].filter((id) => old.get(id) !== fresh.get(id)).sort();
}

/** By which a passage of one generation is told from those of others: its document and its words. */
export function passageHash({ docId, text }: Pick<Passage, 'docId' | 'text'>): string {
  return createHash('sha256').update(`${docId}\n${text}`).digest('hex');
}

/** Passages that one has and the other has not, by `passageHash`. */
export function passagesBetween(
  before: Pick<CorpusIndex, 'documents' | 'passages'>,
  after: Pick<CorpusIndex, 'documents' | 'passages'>,
): { gone: string[]; come: string[] } {
  const changed = new Set(changedBetween(before, after));
  const [old, fresh] = [before, after].map(
    ({ passages }) => new Set(passages.filter(({ docId }) => changed.has(docId)).map(passageHash)),
  ) as [Set<string>, Set<string>];
  return {
    gone: [...old].filter((hash) => !fresh.has(hash)),
    come: [...fresh].filter((hash) => !old.has(hash)),
  };
}

/** What of a generation is not what the ticket says: documents that others are, that are not there, that are still there. */
export function strayDocuments(
  { put, remove }: Pick<Ticket, 'put' | 'remove'>,
  before: Pick<CorpusIndex, 'documents'>,
  after: Pick<CorpusIndex, 'documents'>,
): string[] {
  const meant = new Set([...put.map(({ name }) => name), ...remove]);
  const there = new Set(after.documents.map(({ docId }) => docId));
  return [
    ...changedBetween(before, after).flatMap((id) => (meant.has(id) ? [] : [`${id} would change as well`])),
    ...put.flatMap(({ name }) => (there.has(name) ? [] : [`${name} would not be in the index`])),
    ...remove.flatMap((id) => (there.has(id) ? [`${id} would still be in the index`] : [])),
  ];
}

/** New sentences that are not found when one looks for them. Throws as `Router.rank`. */
export async function notFound(differences: readonly Difference[], router: Router): Promise<string[]> {
  const missing: string[] = [];
  for (const difference of differences) {
    const looked = newSentences(difference)
      .sort((a, b) => b.length - a.length)
      .slice(0, LOOKED_FOR);
    for (const sentence of looked) {
      // By its words or by its meaning; together they go by the speech act, and a statement may be none.
      const query = { query: sentence.slice(0, 500) };
      const found = await Promise.all(BRANCHES.map((branch) => router.rank(branch, query, AMONG)));
      if (!found.flat().some(({ docId }) => docId === difference.docId)) {
        missing.push(`${difference.docId} is not found by its own words: ${JSON.stringify(sentence)}`);
      }
    }
  }
  return missing;
}
