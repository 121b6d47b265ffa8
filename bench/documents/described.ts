/** Collections of our own: which package their documents come in, and the questions that were written about them. */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { messageOf, PragauraError } from '../../common/index.ts';
import { ACTS } from '../../profiles/index.ts';
import { ACTIONS } from '../../router/index.ts';
import { parseJsonLines } from '../datasets/files.ts';
import { parseYaml } from '../measure/yaml-file.ts';
import type { Half, Question, Verdict } from './types.ts';

const text = z.string().min(1).max(1_000);

/** Inside the package, whatever it is joined to. */
const Place = text.refine(
  (place) => !path.isAbsolute(place) && !place.split(/[/\\]/).includes('..'),
  'leads out of the package',
);

const Described = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/),
  title: text,
  /** Reference, standard, handbook, … */
  kind: text,
  /** Of Debian. */
  package: z.string().regex(/^[a-z0-9][a-z0-9.+-]{1,99}$/),
  version: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.+~:-]{0,99}$/),
  licence: text,
  /** Files and folders of the package that are indexed. */
  paths: z.array(Place).min(1),
});
/** A collection as its file in `collections/` describes it. */
export type Described = z.infer<typeof Described>;

/** Read over text whose white space is single blanks; `.` is any character, case does not count. */
const Expression = text.transform((source, context) => {
  try {
    return new RegExp(source, 'is');
  } catch (error) {
    context.addIssue(messageOf(error));
    return z.NEVER;
  }
});

const Alternatives = z
  .array(z.union([Expression.transform((one) => [one]), z.array(Expression).min(1)]))
  .min(1);

const Written = z
  .strictObject({
    id: text,
    query: text,
    act: z.enum(ACTS),
    kind: z.enum(['plain', 'claim', 'misspelt', 'compound', 'unanswerable', 'underspecified']),
    expect: z.enum(ACTIONS),
    accept: Alternatives.optional(),
    verdict: z.enum(['YES', 'NO', 'DEPENDS']).optional(),
    parts: z
      .array(z.strictObject({ query: text, accept: Alternatives }))
      .min(2)
      .optional(),
    anchor: z.array(z.strictObject({ doc: text, text })).default([]),
    /** For people. */
    note: text.optional(),
  })
  .refine(({ expect, accept }) => (expect === 'ANSWER') === (accept !== undefined), {
    path: ['accept'],
    message: 'stands where an answer is expected, and nowhere else',
  });

/** The repository's own folder, with `collections/` and `questions/` in it. */
export function shippedCollections(): string {
  const root = path.dirname(createRequire(import.meta.url).resolve('pragaura/package.json'));
  return path.join(root, 'bench', 'documents');
}

/** Names of the collections that `dir` describes, sorted. Throws NOT_FOUND where it describes none. */
export async function describedNames(dir: string): Promise<string[]> {
  const files = await readdir(path.join(dir, 'collections')).catch(() => []);
  const names = files.flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -'.yaml'.length)] : []));
  if (names.length > 0) return names.sort();
  throw new PragauraError('NOT_FOUND', `${dir} describes no collection.`, {
    hint: 'Name a folder that has collections/*.yaml and questions/*.ndjson with --collections.',
  });
}

/** The collection of that name. Throws NOT_FOUND, and CONFIGURATION for a file that is no description of it. */
export async function described(dir: string, name: string): Promise<Described> {
  const file = path.join(dir, 'collections', `${name}.yaml`);
  const read = parseYaml(await contentOf(file), file, Described);
  if (read.name === name) return read;
  throw new PragauraError('CONFIGURATION', `${file} describes "${read.name}".`, {
    hint: 'A description lies under its own name.',
  });
}

/**
 * The questions of one half about a collection. Throws NOT_FOUND, UNREADABLE_DOCUMENT for a line that is no JSON and
 * INVALID_INPUT for one that is no question, or has an id for the second time.
 */
export async function writtenQuestions(dir: string, name: string, half: Half): Promise<Question[]> {
  const file = path.join(dir, 'questions', `${name}.${half}.ndjson`);
  const seen = new Set<string>();
  return parseJsonLines(await contentOf(file), file).map((line, place) => {
    const parsed = Written.safeParse(line);
    const wrong = !parsed.success
      ? z.prettifyError(parsed.error)
      : seen.has(parsed.data.id)
        ? `the id ${parsed.data.id} was there before`
        : undefined;
    if (!parsed.success || wrong !== undefined) {
      throw new PragauraError('INVALID_INPUT', `${file}, question ${place + 1}: ${wrong}`);
    }
    const { id, query, act, kind, expect, accept, verdict, parts, anchor } = parsed.data;
    seen.add(id);
    return {
      id,
      query,
      group: id,
      act,
      kind,
      expect,
      ...(accept !== undefined && { accept }),
      ...(parts !== undefined && { parts: parts.map((part) => part.accept) }),
      ...(verdict !== undefined && { verdicts: [verdict.toLowerCase() as Verdict] }),
      anchors: anchor.map((place) => place.text),
    };
  });
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read.`, {
      hint: 'Name a folder that has collections/*.yaml and questions/*.ndjson with --collections.',
      cause: error,
    });
  }
}
