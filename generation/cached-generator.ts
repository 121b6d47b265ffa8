/** Answers of a generator kept in a folder, so that the same prompt is asked and paid for once. */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { canonicalHash, toLine, writeWholeFile } from '../common/index.ts';
import type { Generator } from './generator.ts';

const count = z.number().int().min(0).nullable();
const Kept = z.strictObject({
  schema: z.literal('pragaura.generated-text/1'),
  key: z.string(),
  text: z.string(),
  ending: z.enum(['stop', 'length', 'refusal', 'tool_calls']),
  usage: z.strictObject({ promptTokens: count, generatedTokens: count }),
});

/**
 * `generator`, whose whole answers are kept in `dir` by model, prompt and settings. What is kept comes in one piece, and
 * costs no request; what cannot be read is asked for anew. An answer that broke off is not kept. A file an answer; delete
 * the folder to forget them. Throws WRITE_FAILED where it cannot keep one.
 */
export function cachedGenerator(generator: Generator, dir: string): Generator {
  return {
    model: generator.model,
    tries: generator.tries,
    async *generate(messages, options) {
      const { maxTokens, temperature = 0, seed = null } = options;
      const key = canonicalHash({
        model: generator.model,
        messages: [...messages],
        maxTokens,
        temperature,
        seed,
      });
      const file = path.join(dir, key.slice(0, 2), `${key}.json`);
      const kept = await read(file, key);
      if (kept !== null) {
        if (kept.text !== '') yield kept.text;
        return { ending: kept.ending, usage: kept.usage };
      }
      let text = '';
      const pieces = generator.generate(messages, options);
      let whole = false;
      try {
        for (;;) {
          const next = await pieces.next();
          if (next.done) {
            whole = true;
            await mkdir(path.dirname(file), { recursive: true });
            const record = { schema: 'pragaura.generated-text/1' as const, key, text, ...next.value };
            await writeWholeFile(file, toLine(record), 'Name another folder with --generator-cache.');
            return next.value;
          }
          text += next.value;
          yield next.value;
        }
      } finally {
        if (!whole)
          await pieces.return({ ending: 'stop', usage: { promptTokens: null, generatedTokens: null } });
      }
    },
    close: () => generator.close(),
  };
}

async function read(file: string, key: string): Promise<z.infer<typeof Kept> | null> {
  try {
    const kept = Kept.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return kept.success && kept.data.key === key ? kept.data : null;
  } catch {
    return null;
  }
}
