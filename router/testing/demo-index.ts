/** The index of the demo collection, built once in a run of the tests. Tests only. */
import { cpSync, existsSync, mkdtempSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where what test files share lies, as long as a run lasts. */
    runFolder: string;
  }
}

const DOCUMENTS = join(import.meta.dirname, '../demo/documents');

/** Puts a copy of it at `out`, where nothing is yet. */
export async function demoIndex(out: string): Promise<void> {
  const shared = join(inject('runFolder'), 'demo-index');
  if (!existsSync(shared)) {
    const { indexDocuments } = await import('../index.ts');
    const built = join(mkdtempSync(join(inject('runFolder'), 'building-')), 'index');
    await indexDocuments([DOCUMENTS], { out: built });
    // Two files may build it at once; the first is kept.
    if (!existsSync(shared)) renameSync(built, shared);
  }
  cpSync(shared, out, { recursive: true });
}
