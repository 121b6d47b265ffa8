import { PragauraError } from '../../common/index.ts';
import { openIndex, pointerOf } from '../store/open-index.ts';
import { openView, type Readable } from '../view.ts';
import { engineIn } from './address.ts';
import type { IndexBackend } from './backend.ts';
import type { Published } from './copy.ts';
import { embeddedBackend } from './embedded.ts';
import { guarded } from './guard.ts';
import { addressFrom as openSearchAddress } from './opensearch/address.ts';
import { addressFrom as pgvectorAddress } from './pgvector/address.ts';
import { Staging } from './staging.ts';

export interface BackendOptions {
  /** Engine that holds the index, "opensearch=URL" (with more URLs of the same cluster behind commas) or "pgvector=URL"; the index is then the name under which it lies there. Default: the folder. */
  backend?: string | undefined;
  /** Documents that this says no to do not exist: see `openView`. Of folders only. */
  readable?: Readable | undefined;
  /** A generation that is kept, as `generationAsOf` takes it. Of folders only. */
  asOf?: string | undefined;
}

/**
 * Opens an index for queries. Throws INDEX_UNUSABLE, NOT_FOUND for a generation that is not kept, USAGE for what an engine
 * cannot do, BACKEND_UNAVAILABLE and BACKEND_UNUSABLE.
 */
export async function openBackend(
  index: string,
  { backend, readable, asOf }: BackendOptions = {},
): Promise<IndexBackend> {
  if (backend === undefined) {
    // Read first: one that is replaced while it is opened is taken for an older one.
    const pointer = asOf === undefined ? pointerOf(index) : null;
    return embeddedBackend(
      readable === undefined ? await openIndex(index, asOf) : await openView(index, readable, asOf),
      pointer,
    );
  }
  if (readable !== undefined) {
    throw new PragauraError(
      'USAGE',
      'What somebody may not read cannot be left out of an index in an engine.',
      {
        hint: 'Put an index of what they may read there under a name of its own, or leave out --backend.',
      },
    );
  }
  if (asOf !== undefined) {
    throw new PragauraError('USAGE', 'An engine has the current generation of an index alone.', {
      hint: 'Leave out --as-of or --backend.',
    });
  }
  return guarded(await (await engineOf(backend)).open(index, backend));
}

/** Which engine `--backend` names and where, without credentials: the same for all who write to the same place. Throws USAGE. */
export function engineAt(backend: string): string {
  if (engineIn(backend).engine === 'opensearch') return openSearchAddress(backend).shown;
  const { shown, schema } = pgvectorAddress(backend);
  return `${shown}?schema=${schema}`;
}

/** What every engine does; most commands need no client of one. */
async function engineOf(backend: string) {
  if (engineIn(backend).engine === 'pgvector') {
    const [{ openPgvector }, { publishToPgvector, takesIndex }, { openPgvectorShelf }] = await Promise.all([
      import('./pgvector/open.ts'),
      import('./pgvector/publish.ts'),
      import('./pgvector/shelf.ts'),
    ]);
    return { open: openPgvector, publish: publishToPgvector, takesIndex, openShelf: openPgvectorShelf };
  }
  const [{ openOpenSearch }, { publishToOpenSearch, takesIndex }, { openOpenSearchShelf }] =
    await Promise.all([
      import('./opensearch/open.ts'),
      import('./opensearch/publish.ts'),
      import('./opensearch/shelf.ts'),
    ]);
  return { open: openOpenSearch, publish: publishToOpenSearch, takesIndex, openShelf: openOpenSearchShelf };
}

/**
 * Opens what lies staged for an index, by the name of its folder, in an engine. Throws USAGE, BACKEND_UNAVAILABLE and
 * BACKEND_UNUSABLE.
 */
export async function openStaging(index: string, backend: string): Promise<Staging> {
  return new Staging(await (await engineOf(backend)).openShelf(index, backend));
}

/**
 * Whether an engine would take an index under the name of its folder. Throws USAGE, BACKEND_UNAVAILABLE and BACKEND_UNUSABLE where it
 * would not.
 */
export async function checkBackend(dir: string, backend: string): Promise<void> {
  await (await engineOf(backend)).takesIndex(dir, backend);
}

/** Puts the generation that a folder is at into an engine: see `publishToOpenSearch` and `publishToPgvector`. */
export async function publish(
  dir: string,
  backend: string,
  options: { onPassage?: (sent: number) => void; signal?: AbortSignal } = {},
): Promise<Published> {
  return (await engineOf(backend)).publish(dir, backend, options);
}
