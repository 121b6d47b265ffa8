/** Documents of the collections as resources, each under an address of its own. */
import type { Resource } from '@modelcontextprotocol/sdk/types.js';
import type { Router } from '../../router/index.ts';
import type { Caller } from '../callers.ts';
import type { Collections } from '../collections.ts';

/** Documents of a page of the list. */
const PAGE = 100;

export const DOCUMENT_TEMPLATE = 'pragaura://{collection}/{+document}';

/** The address of a document, in which its id can be read. */
export function uriOf(collection: string, docId: string): string {
  return `pragaura://${collection}/${docId.split('/').map(encodeURIComponent).join('/')}`;
}

/**
 * One page of the documents that a caller may read, and what the next one begins with; null for a cursor that is none.
 * Collections come in the order of `Collections.states`, documents in the order of their ids.
 */
export async function listDocuments(
  collections: Collections,
  caller: Caller,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string } | null> {
  const names = collections.names(caller);
  const [, named = names[0], at = '0'] = /^(.+):(\d{1,9})$/.exec(cursor ?? '') ?? [];
  if (cursor !== undefined && (!names.includes(named!) || `${named}:${at}` !== cursor)) return null;
  const resources: Resource[] = [];
  let offset = Number(at);
  for (const name of names.slice(names.indexOf(named!))) {
    const lease = await collections.lease(name, caller);
    try {
      const { documents } = lease.router;
      for (; offset < documents.length; offset += 1) {
        if (resources.length === PAGE) return { resources, nextCursor: `${name}:${offset}` };
        const { docId, title, source } = documents[offset]!;
        const about = { name: docId, title, description: source, mimeType: 'text/plain' };
        resources.push({ uri: uriOf(name, docId), ...about });
      }
    } finally {
      lease.release();
    }
    offset = 0;
  }
  return { resources };
}

/** A document, its passages one after the other; null where there is none of this address for the caller. */
export async function readDocument(
  collections: Collections,
  caller: Caller,
  uri: string,
): Promise<{ collection: string; docId: string; text: string } | null> {
  const [, collection, path] = /^pragaura:\/\/([^/]+)\/(.+)$/s.exec(uri) ?? [];
  const known = collection !== undefined && collections.names(caller).includes(collection);
  const docId = path === undefined ? null : decoded(path);
  if (!known || collection === undefined || docId === null) return null;
  const lease = await collections.lease(collection, caller);
  try {
    const text = await textOf(lease.router, docId);
    return text === null ? null : { collection, docId, text };
  } finally {
    lease.release();
  }
}

async function textOf(router: Router, docId: string): Promise<string | null> {
  const document = router.documents.find((each) => each.docId === docId);
  if (document === undefined) return null;
  const passages = await router.passagesOf(document);
  return passages.map(({ text }) => text).join('\n\n');
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
