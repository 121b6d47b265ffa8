import { createHash } from 'node:crypto';
import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildIndex } from '../../corpus/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import type { Dataset } from './types.ts';

/**
 * The folder of an index of the data set, made by the product's own `buildIndex` out of a BEIR file, both kept in
 * `cache` under a hash of the documents. An index that is there is brought up to date, which reads no model when
 * nothing has changed. Throws what `buildIndex` throws.
 */
export async function indexOf(
  dataset: Pick<Dataset, 'name' | 'documents'>,
  cache: string,
  scorers: Scorers,
  say: (line: string) => void,
): Promise<string> {
  const corpus = dataset.documents
    .map(({ docId, title, text }) => `${JSON.stringify({ _id: docId, title, text })}\n`)
    .join('');
  const key = createHash('sha256').update(corpus).digest('hex').slice(0, 12);
  const dir = path.join(cache, `${dataset.name}-${key}`);
  await mkdir(dir, { recursive: true });
  const file = path.join(dir, 'corpus.jsonl');
  await writeWhole(file, corpus);
  const [probe] = await scorers.embed(['dimension']);
  const embedder = { ...scorers.info.models.embed!, dimension: probe!.length };
  const out = path.join(dir, 'index');
  const report = await buildIndex([file], {
    out,
    embed: (texts, options) => scorers.embed(texts, options),
    embedder,
    countTokens: (text) => scorers.countTokens(text),
  });
  say(
    `${dataset.name}: ${report.counts.documents} documents, ${report.counts.passages} passages, ` +
      `${report.failed.length} without text; ${report.embedded} embedded in ${(report.ms.total / 1_000).toFixed(1)} s`,
  );
  return out;
}

/** Under its final name a file is always whole. */
async function writeWhole(file: string, text: string): Promise<void> {
  try {
    await access(file);
  } catch {
    await writeFile(`${file}.${process.pid}.tmp`, text);
    await rename(`${file}.${process.pid}.tmp`, file);
  }
}
