import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { messageOf, PragauraError } from '../../common/index.ts';

/**
 * A JSON file of a shape that is known. Throws NOT_FOUND where it cannot be read, CONFIGURATION where it is not `what` (as
 * in "no record of bench arithmetic"); `hint` says what to do about either.
 */
export async function readJsonFile<T>(
  file: string,
  schema: z.ZodType<T>,
  { what, hint }: { what: string; hint: string },
): Promise<T> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read: ${messageOf(error)}`, {
      hint,
      cause: error,
    });
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new PragauraError('CONFIGURATION', `${file} is no ${what}: ${why}`, { hint, cause: error });
  }
}
