/** What was said in another run, out of its file of results. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { PragauraError } from '../../common/index.ts';
import { ACTIONS } from '../../router/index.ts';
import type { Said } from './asked.ts';

export const SCHEMA = 'pragaura.bench-documents/1';

const Kept = z.object({
  action: z.enum(ACTIONS),
  shown: z
    .object({
      text: z.string(),
      quotes: z.array(z.string()),
      verdict: z.enum(['yes', 'no', 'depends']).nullable(),
      form: z.string(),
      // Runs before answers had forms do not say these.
      band: z.enum(['HIGH', 'LOW']).default('HIGH'),
      cut: z.string().nullable().default(null),
    })
    .nullable(),
  offered: z.array(z.string()),
});

const Results = z.object({
  schema: z.literal(SCHEMA),
  questions: z.array(z.object({ id: z.string(), said: z.object({ product: Kept }) })),
});

/**
 * What the product said to each question, by its id. Throws NOT_FOUND, and UNREADABLE_DOCUMENT for a file that is no
 * result of this measurement.
 */
export async function saidBefore(file: string): Promise<Map<string, Said>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read.`, {
      hint: 'Name the --out of a run over the same sets and the same half with --against.',
      cause: error,
    });
  }
  const parsed = Results.safeParse(jsonOf(text));
  if (parsed.success) return new Map(parsed.data.questions.map(({ id, said }) => [id, said.product]));
  throw new PragauraError('UNREADABLE_DOCUMENT', `${file} is no result of "bench documents".`, {
    cause: parsed.error,
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
