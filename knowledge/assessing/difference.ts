/** Old and new text of a document, sentence by sentence: where passages end says nothing of what was changed. */
import { diffArrays } from 'diff';
import { z } from 'zod';
import { type Passage, sentences } from '../../corpus/index.ts';

const Line = z.strictObject({ kind: z.enum(['gone', 'come', 'context']), text: z.string() });
type Line = z.infer<typeof Line>;

/** One document: what goes, what comes, and what stays around it. */
export const Difference = z.strictObject({
  docId: z.string(),
  /** In order. `context`: sentences between two changes, the nearest of them. */
  lines: z.array(Line),
});
export type Difference = z.infer<typeof Difference>;

/** Sentences that stay are shown so many before and after a change. */
const CONTEXT = 1;

/** What a reader sees of passages, in order: a heading where it changes, then sentences, each on one line. */
export function linesOf(passages: readonly Pick<Passage, 'title' | 'text'>[]): string[] {
  let above = '';
  return passages.flatMap(({ title, text }) => {
    const heading = title === above ? [] : [`# ${title}`];
    above = title;
    const lines = sentences(text, 0, text.length).map(({ start, end }) =>
      text.slice(start, end).replace(/\s+/g, ' ').trim(),
    );
    return [...heading, ...lines.filter((line) => line !== '')];
  });
}

/** Without lines where nothing of it was changed that a reader sees. */
export function differenceOf(
  docId: string,
  before: readonly Pick<Passage, 'title' | 'text'>[],
  after: readonly Pick<Passage, 'title' | 'text'>[],
): Difference {
  const parts = diffArrays(linesOf(before), linesOf(after));
  const lines = parts.flatMap(({ added, removed, value }, i): Line[] => {
    if (added || removed) return value.map((text) => ({ kind: added ? 'come' : 'gone', text }));
    const [first, last] = [i === 0, i === parts.length - 1];
    const shown = value.filter(
      (_, at) => (!last && at >= value.length - CONTEXT) || (!first && at < CONTEXT),
    );
    return shown.map((text) => ({ kind: 'context', text }));
  });
  return { docId, lines };
}

/** The sentences that a change brings, headings left out. */
export function newSentences({ lines }: Difference): string[] {
  return lines.flatMap(({ kind, text }) => (kind === 'come' && !text.startsWith('# ') ? [text] : []));
}
