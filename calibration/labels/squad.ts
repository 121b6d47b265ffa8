import { z } from 'zod';
import { messageOf } from '../../common/index.ts';
import type { Example } from '../types.ts';
import { ExampleList, type Look } from './examples.ts';
import { unreadable } from './files.ts';
import { elementsOf } from './json-elements.ts';

const Article = z.object({
  title: z.string().optional(),
  paragraphs: z.array(
    z.object({
      qas: z.array(
        z.object({
          id: z.union([z.string().min(1).max(512), z.number()]).transform(String),
          question: z.string(),
          answers: z.array(z.object({ text: z.string() })).optional(),
          is_impossible: z.boolean().optional(),
        }),
      ),
    }),
  ),
});

/**
 * Questions of a SQuAD file, 1.1 or 2.0: the group is the article, the passage its paragraph `Article#n`, which is the
 * docId that `pragaura index` gives it. A question is unanswerable where `is_impossible` says so. An article is read
 * at a time. Throws UNREADABLE_DOCUMENT, INVALID_INPUT for an id that occurs twice.
 */
export async function squadExamples(path: string, look?: Look): Promise<Example[]> {
  const list = new ExampleList((article) => `${path}, article ${article + 1}`, look);
  let ordinal = 0;
  for await (const text of elementsOf(path, 'data')) {
    const article = parsed(text, path, ordinal);
    const name = article.title ?? `article-${ordinal}`;
    for (const [place, { qas }] of article.paragraphs.entries()) {
      for (const { id, question, answers = [], is_impossible } of qas) {
        const texts = is_impossible === true ? [] : [...new Set(answers.map(({ text }) => text))];
        list.add(
          {
            id,
            query: question.trim(),
            ...(texts.length === 0 ? {} : { answers: texts, passages: [`${name}#${place}`] }),
            ...(is_impossible === undefined ? {} : { answerable: !is_impossible }),
            group: name === '' ? `article-${ordinal}` : name,
          },
          ordinal,
        );
      }
    }
    ordinal++;
  }
  return list.examples;
}

function parsed(text: string, path: string, ordinal: number): z.infer<typeof Article> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(path, `article ${ordinal + 1} is no JSON: ${messageOf(error)}`, undefined, error);
  }
  const checked = Article.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw unreadable(
    path,
    `article ${ordinal + 1} does not fit SQuAD JSON, ${issue?.path.join('.')}: ${issue?.message}`,
    'An article is {"title", "paragraphs": [{"context", "qas": [{"id", "question", "answers"}]}]}.',
    checked.error,
  );
}
