import { z } from 'zod';
import type { Failure, SourceDocument } from '../types.ts';
import { cleanTitle } from './offsets.ts';
import { NO_LIST } from './outline.ts';
import { textBlocks } from './text.ts';

const Identifier = z.union([z.string().min(1), z.number()]).transform(String);
const BeirRecord = z.object({
  _id: Identifier.optional(),
  id: Identifier.optional(),
  title: z.string().nullish(),
  text: z.string().nullish(),
});

/**
 * One line of a BEIR corpus: `{_id, title, text}`, `id` for `_id` accepted. A record with a title only has the
 * title as its text. `name` is that of the file. Throws nothing: what does not fit is a Failure.
 */
export function beirRecord(line: string, number: number, name: string): SourceDocument | Failure {
  const fail = (reason: string): Failure => ({ name: `${name}:${number}`, code: 'INVALID_INPUT', reason });
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return fail('is not JSON');
  }
  const parsed = BeirRecord.safeParse(value);
  if (!parsed.success)
    return fail(`${parsed.error.issues[0]?.path.join('.') || 'record'}: does not fit {_id, title, text}`);
  const docId = parsed.data._id ?? parsed.data.id;
  if (docId === undefined) return fail('has neither "_id" nor "id"');
  const title = cleanTitle(parsed.data.title ?? '');
  const text = /\S/.test(parsed.data.text ?? '') ? parsed.data.text! : title;
  if (text === '') return fail('holds no text');
  return {
    docId,
    source: `${name}#${docId}`,
    text,
    ...textBlocks(text),
    title,
    positionAt: () => `${number}:1`,
  };
}

const Squad = z.object({
  data: z.array(
    z.object({
      title: z.string().optional(),
      paragraphs: z.array(z.object({ context: z.string() })),
    }),
  ),
});

/**
 * Documents of a SQuAD file (1.1 or 2.0): each paragraph is one, `Article#0` and so on, its source the file and
 * the article. `file` is the name of the file.
 * Returns null when the value is no SQuAD file.
 */
export function squadDocuments(value: unknown, file: string): SourceDocument[] | null {
  const parsed = Squad.safeParse(value);
  if (!parsed.success) return null;
  return parsed.data.data.flatMap((article, ordinal) => {
    const name = article.title ?? `article-${ordinal}`;
    return article.paragraphs.map(({ context }, index) => {
      const whole = { start: 0, end: context.length };
      return {
        docId: `${name}#${index}`,
        title: cleanTitle(name.replaceAll('_', ' ')),
        source: `${file}#${name}`,
        text: context,
        blocks: [{ ...whole, headings: [], kind: 'prose' as const }],
        parts: [{ kind: 'paragraph' as const, ...whole, ...NO_LIST }],
        positionAt: () => `paragraph ${index + 1}`,
      };
    });
  });
}
