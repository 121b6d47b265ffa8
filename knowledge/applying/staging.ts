/** A generation with the change of a ticket in it, written beside the index and not yet the index. */
import type { CorpusIndex } from '../../corpus/index.ts';
import { fileOf } from '../../governance/index.ts';
import { indexDocuments, openRouter, type Router } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { withFiles } from '../tickets/files.ts';
import type { TicketStore } from '../tickets/store.ts';
import type { DocumentState, Files, Ticket } from '../tickets/ticket.ts';

/** What changes are made in and looked at with. */
export interface Workplace {
  /** Folder of the index. */
  index: string;
  store: TicketStore;
  /** Opened where it is needed first, with all jobs. */
  scorers: () => Promise<Scorers>;
}

export interface Staged {
  generation: string;
  hash: string;
  /** Documents that could not be taken as they are, and why. */
  problems: string[];
}

/** Throws what `indexDocuments` does, and TICKETS_UNUSABLE for files of the ticket. */
export async function stage(
  { index, store, scorers }: Workplace,
  { put, remove }: Pick<Ticket, 'put' | 'remove'>,
): Promise<Staged> {
  const models = await scorers();
  return withFiles(store, put, async (paths) => {
    const report = await indexDocuments(paths, {
      out: index,
      scorers: models,
      stage: true,
      keepMissing: true,
      remove,
    });
    const names = new Set(put.map(({ name }) => name));
    const problems = [...report.failed, ...report.leftOut].flatMap(({ name, reason }) =>
      names.has(name) ? [`${name} ${reason}`] : [],
    );
    return { generation: report.generation, hash: report.hash, problems };
  });
}

/** Runs `work` with routers over a staged generation and, if `both`, the index as it is, on one pool of models. */
export async function asking<T>(
  { index, scorers }: Workplace,
  generation: string,
  both: boolean,
  work: (then: Router, now: Router | null) => Promise<T>,
): Promise<T> {
  const models = await scorers();
  const opened: Router[] = [];
  const open = async (asOf?: string) => {
    const router = await openRouter({ index, scorers: models, ...(asOf !== undefined && { asOf }) });
    opened.push(router);
    return router;
  };
  try {
    return await work(await open(generation), both ? await open() : null);
  } finally {
    for (const router of opened) await router.close();
  }
}

/** What an index has of these documents. */
export function statesIn(
  { documents }: Pick<CorpusIndex, 'documents'>,
  ids: readonly string[],
): DocumentState[] {
  const hashes = new Map(documents.map(({ docId, hash }) => [docId, hash]));
  return ids.map((id) => ({ id, hash: hashes.get(id) ?? null }));
}

/** Of those of these documents that are records of a file in an index, that file. */
export function filesIn({ documents }: Pick<CorpusIndex, 'documents'>, ids: Iterable<string>): Files {
  const asked = new Set(ids);
  const records = documents.filter((each) => asked.has(each.docId) && fileOf(each) !== each.docId);
  return Object.fromEntries(records.map((each) => [each.docId, fileOf(each)]));
}

/** Whether an index has these documents so. */
export function standsAs(index: Pick<CorpusIndex, 'documents'>, states: readonly DocumentState[]): boolean {
  const ids = states.map(({ id }) => id);
  return statesIn(index, ids).every(({ hash }, i) => hash === states[i]!.hash);
}

/** Whether the index has what it had of the documents of a ticket when it was proposed. */
export function isFresh(index: Pick<CorpusIndex, 'documents'>, { base }: Pick<Ticket, 'base'>): boolean {
  return standsAs(index, base);
}
