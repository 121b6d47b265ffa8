/** Files of two lines of JSON: what a file is, with the sha256 of the second line, and what is in it. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { isSystemError, messageOf, PragauraError, writeWholeFile } from '../../common/index.ts';

const HINT =
  'Build it again with "pragaura graph --index DIR", or remove graph.ndjson and graph-source.ndjson to do without.';

/** The file is the old one or the new one, whatever happens. Throws WRITE_FAILED. */
export async function writeHashed(file: string, header: object, content: unknown): Promise<void> {
  const line = JSON.stringify(content);
  await writeWholeFile(
    file,
    `${JSON.stringify({ ...header, sha256: sha256(line) })}\n${line}\n`,
    'Make room, or give yourself the right to write to the index folder.',
  );
}

/**
 * What was written; null where there is no file. Throws INDEX_UNUSABLE when it is damaged or was written by another version: then
 * nothing is taken from it.
 */
export async function readHashed<H extends { sha256: string }, C>(
  file: string,
  schemas: { header: z.ZodType<H>; content: z.ZodType<C> },
): Promise<{ header: H; content: C } | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw unusable(`${file} cannot be read: ${messageOf(error)}`, error);
  }
  const end = text.indexOf('\n');
  const header = parsed(text.slice(0, end), schemas.header, `${file} is damaged, or of another version`);
  const line = text.slice(end + 1).replace(/\n$/, '');
  if (sha256(line) !== header.sha256) throw unusable(`${file} is damaged: its content was changed.`);
  return { header, content: parsed(line, schemas.content, `${file} is damaged`) };
}

function parsed<T>(line: string, schema: z.ZodType<T>, problem: string): T {
  try {
    return schema.parse(JSON.parse(line));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw unusable(`${problem}: ${why}`, error);
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function unusable(message: string, cause?: unknown): PragauraError {
  return new PragauraError('INDEX_UNUSABLE', message, { hint: HINT, cause });
}
