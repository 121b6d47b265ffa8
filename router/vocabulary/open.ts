import { basename } from 'node:path';
import { PragauraError } from '../../common/index.ts';
import { ConceptCollector } from './collector.ts';
import { eachRow } from './csv.ts';
import { VocabularySettings } from './settings.ts';
import { readText, unusable } from './text-stream.ts';
import type { RdfFormat } from './triples.ts';
import { Vocabulary } from './vocabulary.ts';

const FORMATS = new Map<string, RdfFormat | 'csv'>([
  ['ttl', 'turtle'],
  ['turtle', 'turtle'],
  ['nt', 'turtle'],
  ['rdf', 'rdfxml'],
  ['xml', 'rdfxml'],
  ['owl', 'rdfxml'],
  ['skos', 'rdfxml'],
  ['jsonld', 'jsonld'],
  ['json', 'jsonld'],
  ['csv', 'csv'],
  ['tsv', 'csv'],
]);

/**
 * Reads the vocabularies of the settings (a list of files stands for settings that name no more), one after the other, into one; concepts with the same id are one concept.
 * Files are streamed: what is held is the concepts, bounded by the settings. Null when no file is named.
 * Throws CONFIGURATION for settings that do not fit, NOT_FOUND, and VOCABULARY_UNUSABLE when a file is in no known
 * format, damaged, too large, in another encoding than it says, or without a term.
 */
export async function openVocabulary(settings: unknown = {}): Promise<Vocabulary | null> {
  const parsed = VocabularySettings.safeParse(Array.isArray(settings) ? { files: settings } : settings);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new PragauraError('CONFIGURATION', `vocabulary.${issue?.path.join('.')}: ${issue?.message}`, {
      hint: `It has: ${Object.keys(VocabularySettings.shape).join(', ')}.`,
      cause: parsed.error,
    });
  }
  const { files, maxBytes } = parsed.data;
  if (files.length === 0) return null;
  const collector = new ConceptCollector(parsed.data);
  for (const path of files) {
    const name = basename(path);
    const format = formatOf(name);
    collector.beginFile(name);
    const text = readText(path, maxBytes);
    if (format === 'csv') {
      await eachRow(name, text, (row) => collector.row(row));
      continue;
    }
    // Its parsers are a tenth of what a start loads, and few starts have such a file.
    const { eachTriple } = await import('./triples.ts');
    await eachTriple(name, text, format, (triple) => collector.triple(triple));
  }
  const { concepts, report } = collector.finish();
  return new Vocabulary(concepts, report);
}

function formatOf(name: string): RdfFormat | 'csv' {
  const extension = /\.([^.]+?)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const format = FORMATS.get(extension);
  if (format !== undefined) return format;
  throw unusable(`${name} is in no format that is read.`, `Read are: ${[...FORMATS.keys()].join(', ')}.`);
}
