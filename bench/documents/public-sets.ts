/** Public sets over documents of other kinds than an encyclopaedia's; their documents become pages in HTML. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { grouped } from '../../calibration/index.ts';
import { writeWholeFile } from '../../common/index.ts';
import { parseJson, parseJsonLines, readDataFile, unreadable } from '../datasets/files.ts';
import { halfOf } from '../datasets/halves.ts';
import { SquadJson } from '../datasets/squad.ts';
import type { Collection, Half, Question, Verdict } from './types.ts';

/** A page of `name`, which becomes the last part of its document id. */
export interface Page {
  name: string;
  html: string;
}

/** `folder`: the folder that all pages of the set lie in, with which document ids begin. */
interface PublicSet {
  about: string;
  load(data: string, folder: string): Promise<{ pages: Page[]; questions: Question[] }>;
}

const SETS = {
  emanual: {
    about:
      "Manual of a television, a section is a document; experts' questions, by token F1 with their answers",
    load: emanual,
  },
  conditionalqa: {
    about:
      'ConditionalQA dev: public services, the evidence of a page is a document; the scenario comes first',
    load: (data) => conditionalQa(data, 'dev'),
  },
  'conditionalqa-train': {
    about:
      'ConditionalQA train: public services, the evidence of a page is a document; the scenario comes first',
    load: (data) => conditionalQa(data, 'train'),
  },
  policyqa: {
    about:
      'PolicyQA dev: privacy policies, each question about one of them; by token F1 with the spans marked',
    load: policyQa,
  },
} satisfies Record<string, PublicSet>;

type PublicName = keyof typeof SETS;
export const PUBLIC_SETS = Object.keys(SETS) as PublicName[];

export function isPublic(name: string): name is PublicName {
  return Object.hasOwn(SETS, name);
}

/**
 * One half of a public set; its pages are written under `cache`, in a folder of their own for other content. Throws
 * NOT_FOUND (which file of the data folder is missing), UNREADABLE_DOCUMENT, WRITE_FAILED.
 */
export async function publicSet(
  name: PublicName,
  half: Half,
  { data, cache }: { data: string; cache: string },
): Promise<Collection> {
  const { about, pages, questions } = await publicPages(name, half, data);
  const paths = [await writtenPages(name, pages, cache)];
  return { name, about, half, marked: false, paths, questions };
}

/** The pages of a public set and the questions of one half. Throws NOT_FOUND, UNREADABLE_DOCUMENT. */
export async function publicPages(
  name: PublicName,
  half: Half,
  data: string,
): Promise<{ about: string; pages: Page[]; questions: Question[] }> {
  const { about, load }: PublicSet = SETS[name];
  const { pages, questions } = await load(data, name);
  const wanted = half === 'open' ? 'tune' : 'report';
  return { about, pages, questions: questions.filter(({ group }) => halfOf(group) === wanted) };
}

/** The folder of that name with these pages in it, under `cache`. Throws WRITE_FAILED. */
export async function writtenPages(name: string, pages: readonly Page[], cache: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(pages)).digest('hex').slice(0, 12);
  const folder = path.join(cache, 'pages', hash, name);
  for (const page of pages) {
    await writeWholeFile(path.join(folder, page.name), page.html, 'Name another folder with --cache.');
  }
  return folder;
}

const Sections = z.record(
  z.string(),
  z.object({ id: z.string(), title: z.string(), text: z.array(z.string()) }),
);
const Expert = z.object({
  kind: z.enum(['normal', 'paraphrased', 'compound', 'yes_no']),
  question: z.string(),
  answer: z.string(),
  section: z.string(),
});

async function emanual(data: string): Promise<{ pages: Page[]; questions: Question[] }> {
  const [corpus, asked] = [
    'emanual/smart_tv_remote_manual_corpus.json',
    'emanual/smart_tv_remote_qa.jsonl.gz',
  ];
  const sections = valid(Sections, parseJson(await readDataFile(data, corpus!), corpus!), corpus!);
  const experts = valid(z.array(Expert), parseJsonLines(await readDataFile(data, asked!), asked!), asked!);
  return {
    pages: Object.values(sections).map(({ id, title, text }) => ({
      name: `${fileName(id)}.html`,
      html: pageOf(title, paragraphs(text)),
    })),
    questions: experts.map(({ kind, question, answer, section }, place) => {
      const verdict = kind === 'yes_no' ? yesOrNo(answer) : undefined;
      return {
        id: `emanual-${place + 1}`,
        query: question,
        group: section,
        act: null,
        kind,
        expect: 'ANSWER',
        golds: [answer],
        ...(verdict !== undefined && { verdicts: [verdict] }),
      };
    }),
  };
}

/** Lines of print, which an empty one parts into paragraphs. */
function paragraphs(lines: readonly string[]): string {
  return lines
    .join('\n')
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${escaped(paragraph.trim())}</p>`)
    .join('\n');
}

function yesOrNo(answer: string): Verdict | undefined {
  const first = /^\s*(yes|no)\b/i.exec(answer)?.[1]?.toLowerCase();
  return first === 'yes' || first === 'no' ? first : undefined;
}

const Conditional = z.array(
  z.object({
    id: z.string(),
    url: z.string(),
    scenario: z.string(),
    question: z.string(),
    not_answerable: z.boolean(),
    answers: z.array(z.tuple([z.string(), z.array(z.string())])),
    evidences: z.array(z.string()),
  }),
);

async function conditionalQa(data: string, split: 'dev' | 'train') {
  const file = `conditionalqa/${split}.json.gz`;
  const rows = valid(Conditional, parseJson(await readDataFile(data, file), file), file);
  const slugOf = (url: string) => url.replace(/^.*\//, '');
  const nameOf = (url: string) => `${fileName(slugOf(url))}.html`;
  const pages = grouped(rows, ({ url }) => url).map((own): Page => {
    const slug = slugOf(own[0]!.url);
    const elements = [...new Set(own.flatMap(({ evidences }) => evidences))];
    return {
      name: nameOf(own[0]!.url),
      html: pageOf(slug.replaceAll('-', ' '), elementsOf(elements)),
    };
  });
  const questions = rows.map((row): Question => {
    const verdicts = verdictsOf(row.answers);
    const golds = row.answers.map(([text]) => text);
    return {
      id: row.id,
      query: row.question.trim(),
      group: row.url,
      act: null,
      kind: row.not_answerable
        ? 'not answerable'
        : verdicts.length === 0
          ? 'span'
          : verdicts.includes('depends')
            ? 'verdict with conditions'
            : 'verdict',
      expect: row.not_answerable ? 'ABSTAIN' : 'ANSWER',
      page: nameOf(row.url),
      anchors: row.evidences.map((element) => ELEMENT.exec(element)?.[2] ?? element),
      history: [{ role: 'user', text: row.scenario }],
      ...(row.not_answerable ? {} : verdicts.length > 0 ? { verdicts } : { golds }),
    };
  });
  return { pages, questions };
}

/** Yes and no as they are given; it depends, where one has conditions or both are given. */
function verdictsOf(answers: readonly (readonly [string, readonly string[]])[]): Verdict[] {
  const given = answers.flatMap<Verdict>(([text]) => (text === 'yes' || text === 'no' ? [text] : []));
  if (given.length === 0) return [];
  const verdicts = new Set(given);
  const conditions = answers.some(([, needed]) => needed.length > 0);
  if (conditions || verdicts.size > 1) verdicts.add('depends');
  return [...verdicts];
}

const ELEMENT = /^<(p|li|tr|h[1-6])>([\s\S]*)<\/\1>$/;

/** Single elements as parts of a page: items that follow each other are a list, rows a table. */
function elementsOf(elements: readonly string[]): string {
  let open = '';
  const parts: string[] = [];
  const within = (container: string) => {
    if (open === container) return;
    if (open !== '') parts.push(`</${open}>`);
    if (container !== '') parts.push(`<${container}>`);
    open = container;
  };
  for (const element of elements) {
    const [, tag = 'p', text = element] = ELEMENT.exec(element) ?? [];
    within(tag === 'li' ? 'ul' : tag === 'tr' ? 'table' : '');
    const cells = text.split(' | ').map((cell) => `<td>${escaped(cell)}</td>`);
    parts.push(`<${tag}>${tag === 'tr' ? cells.join('') : escaped(text)}</${tag}>`);
  }
  within('');
  return parts.join('\n');
}

/** "This website" is the one that the question is about, so that its policy alone is searched. */
async function policyQa(data: string, folder: string): Promise<{ pages: Page[]; questions: Question[] }> {
  const file = 'policyqa/dev.json.gz';
  const { data: policies } = valid(SquadJson, parseJson(await readDataFile(data, file), file), file);
  const pages: Page[] = [];
  const questions: Question[] = [];
  for (const { title, paragraphs: contexts } of policies) {
    const name = `${fileName(title)}.html`;
    const body = contexts.map(({ context }) => `<p>${escaped(context)}</p>`).join('\n');
    pages.push({ name, html: pageOf(`Privacy policy of ${title}`, body) });
    // Asked of one policy more than once, a question has every answer that was marked.
    for (const same of grouped(
      contexts.flatMap(({ qas }) => qas),
      ({ question }) => question,
    )) {
      questions.push({
        id: same[0]!.id,
        query: same[0]!.question.trim(),
        group: title,
        act: null,
        kind: 'span',
        expect: 'ANSWER',
        filters: { docId: [`${folder}/${name}`] },
        golds: [...new Set(same.flatMap(({ answers }) => answers.map(({ text }) => text)))],
      });
    }
  }
  return { pages, questions };
}

function valid<T>(schema: z.ZodType<T>, value: unknown, file: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw unreadable(file, z.prettifyError(parsed.error), parsed.error);
}

/** A name from the data as the name of a file in our folder. */
function fileName(name: string): string {
  return name.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_');
}

function pageOf(title: string, body: string): string {
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head>\n<body><h1>${escaped(title)}</h1>\n${body}\n</body></html>\n`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
