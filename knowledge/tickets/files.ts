/** Files of a ticket as files, for what reads files. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TicketStore } from './store.ts';
import type { TicketFile } from './ticket.ts';

/**
 * Writes files into a folder for as long as `work` takes; it is given what to name to a build so that their documents have the
 * names of the files. Throws TICKETS_UNUSABLE, and what the file system throws.
 */
export async function withFiles<T>(
  store: Pick<TicketStore, 'bytesOf'>,
  files: readonly TicketFile[],
  work: (paths: string[]) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-ticket-'));
  try {
    for (const file of files) {
      const to = path.join(folder, ...file.name.split('/'));
      await mkdir(path.dirname(to), { recursive: true });
      await writeFile(to, await store.bytesOf(file));
    }
    return await work([...new Set(files.map(({ name }) => path.join(folder, name.split('/')[0]!)))]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
