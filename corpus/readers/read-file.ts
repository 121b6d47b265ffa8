import { createReadStream, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import { PragauraError, readLines } from '../../common/index.ts';
import { reasonOf } from '../store/files.ts';
import type { Block, Failure, HiddenTexts, Part, SourceDocument } from '../types.ts';
import { decodeText } from './decode.ts';
import { withHelpOptions } from './help-options.ts';
import { withoutInvisible } from './hidden/characters.ts';
import type { Extracted } from './html.ts';
import { beirRecord, squadDocuments } from './json.ts';
import { isManPage, readManPage } from './man-page.ts';
import { cleanTitle, linePositions, notedPositions } from './offsets.ts';
import { withoutQuestionLists } from './question-list.ts';
import { textBlocks } from './text.ts';
import type { InputFile } from './walk.ts';

/** A record longer than this is no record. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** What a compressed file may grow to. */
const MAX_UNPACKED = 1024 * 1024 * 1024;

function unreadable(reason: string): PragauraError {
  return new PragauraError('UNREADABLE_DOCUMENT', reason);
}

function bytesOf(file: InputFile): Uint8Array {
  const bytes = file.bytes ?? readFileSync(file.path);
  if (bytes.length === 0) throw unreadable('is empty');
  return file.gzip ? gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED }) : bytes;
}

/** A title for a document that names none: its file's name in words. */
export function fileTitle(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1).replace(/\.gz$/i, '');
  const stem = base.slice(0, base.length - extname(base).length);
  return cleanTitle((stem === '' ? base : stem).replace(/[_-]+/g, ' '));
}

interface Content {
  title?: string;
  text: string;
  blocks: readonly Block[];
  parts: readonly Part[];
  index?: true;
  hidden?: HiddenTexts | undefined;
  positionAt?: (offset: number) => string;
}

function documentOf(file: InputFile, content: Content): SourceDocument {
  const { text, blocks, parts, index, hidden } = withoutQuestionLists(content);
  return {
    docId: file.name,
    title: content.title || fileTitle(file.name),
    source: file.name,
    text,
    blocks,
    parts: withHelpOptions(text, parts),
    ...(index && { index }),
    ...(hidden && { hidden }),
    positionAt: content.positionAt ?? linePositions(text),
  };
}

function placed({ marks, ...content }: Extracted): Content {
  return { ...content, positionAt: notedPositions(marks) };
}

async function contentOf(file: InputFile): Promise<Content> {
  const bytes = bytesOf(file);
  switch (file.format) {
    case 'md': {
      const { seenMarkdown } = await import('./hidden/markdown.ts');
      const { withoutBoxes } = await import('./admonitions.ts');
      const { readMarkdown } = await import('./markdown.ts');
      const source = decodeText(bytes);
      const [boxless, lineAt] = [withoutBoxes(source), linePositions(source)];
      const positionAt = (offset: number) => lineAt(boxless.from(offset));
      const { text, hidden } = seenMarkdown(boxless.text, positionAt);
      return { ...readMarkdown(text, positionAt), hidden };
    }
    case 'html': {
      const { extractHtml } = await import('./html.ts');
      const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
      const declared = /<meta[^>]{1,200}charset=["']?([\w-]+)/i.exec(head)?.[1];
      return placed(extractHtml(decodeText(bytes, declared)));
    }
    case 'pdf': {
      const { extractPdf } = await import('./pdf.ts');
      return placed(await extractPdf(bytes));
    }
    case 'docx': {
      const { extractDocx } = await import('./docx.ts');
      return placed(await extractDocx(bytes));
    }
    case 'csv': {
      const text = decodeText(bytes);
      const { csvBlocks } = await import('./csv.ts');
      return { text, ...csvBlocks(text, /\.tsv(\.gz)?$/i.test(file.name)) };
    }
    default: {
      const text = decodeText(bytes);
      return isManPage(text) ? readManPage(text) : { text, ...textBlocks(text) };
    }
  }
}

async function* records(file: InputFile): AsyncGenerator<SourceDocument | Failure> {
  const raw: Readable = file.bytes === undefined ? createReadStream(file.path) : Readable.from([file.bytes]);
  const before = (file.line ?? 1) - 1;
  const input = file.gzip ? raw.pipe(createGunzip()) : raw;
  raw.once('error', (error) => input.destroy(error));
  try {
    for await (const line of readLines(input, MAX_LINE_BYTES)) {
      if (line.text !== null) yield beirRecord(line.text, before + line.number, file.name);
      else {
        const reason = line.problem?.message ?? 'cannot be read';
        yield { name: `${file.name}:${before + line.number}`, code: 'INVALID_INPUT', reason };
      }
    }
  } finally {
    raw.destroy();
  }
}

function squad(file: InputFile): SourceDocument[] {
  let value: unknown;
  try {
    value = JSON.parse(decodeText(bytesOf(file)));
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadable('is not JSON');
    throw error;
  }
  const documents = squadDocuments(value, file.name);
  if (documents === null) throw unreadable('is not SQuAD JSON, the one kind of .json that is read');
  return documents;
}

async function* itemsOf(file: InputFile): AsyncGenerator<SourceDocument | Failure> {
  if (file.format === 'jsonl') yield* records(file);
  else if (file.format === 'json') yield* squad(file);
  else yield documentOf(file, await contentOf(file));
}

/**
 * The documents of a file, without what their readers do not see, and a Failure for the file or for each record in it that cannot be read. Never throws
 * for what the file holds.
 */
export async function* readDocuments(file: InputFile): AsyncGenerator<SourceDocument | Failure> {
  try {
    for await (const item of itemsOf(file)) yield 'reason' in item ? item : withoutInvisible(item);
  } catch (error) {
    const code = PragauraError.isInstance(error) ? error.code : 'UNREADABLE_DOCUMENT';
    yield { name: file.name, code, reason: reasonOf(error) };
  }
}
