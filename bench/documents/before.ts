/** What was said in another run, out of its file of results. */
import { z } from 'zod';
import { ACTIONS } from '../../router/index.ts';
import { readJsonFile } from '../measure/json-file.ts';
import type { ContenderOutput } from './asked.ts';

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

/** What the product said to each question, by its id. Throws NOT_FOUND, CONFIGURATION for what is no such result. */
export async function saidBefore(file: string): Promise<Map<string, ContenderOutput>> {
  const { questions } = await readJsonFile(file, Results, {
    what: 'result of "bench documents"',
    hint: 'Name the --out of a run over the same sets and the same half with --against.',
  });
  return new Map(questions.map(({ id, said }) => [id, said.product]));
}
