import { z } from 'zod';
import { DEFAULTS } from './defaults.ts';

const TAG = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/;

/** Which vocabularies are read, and how much of them. Text beyond a limit of a label is left out and counted. */
export const VocabularySettings = z.strictObject({
  /** Files: .ttl, .nt, .rdf, .xml, .owl, .jsonld, .json, .csv, .tsv, each also with .gz. */
  files: z.array(z.string().min(1)).default([]),
  /** Languages of labels and definitions, best first ("en" takes "en-GB" too); texts without a language follow. */
  languages: z
    .array(z.string().regex(TAG, 'is no tag of a language, such as "en" or "pt-BR"'))
    .min(1)
    .default(DEFAULTS.languages),
  /** Most bytes of one file, unpacked. */
  maxBytes: z.number().int().positive().default(DEFAULTS.maxBytes),
  maxConcepts: z.number().int().positive().default(DEFAULTS.maxConcepts),
  /** UTF-16 units of a label, labels of a concept, units of a definition. */
  maxLabelChars: z.number().int().positive().default(200),
  maxLabels: z.number().int().positive().default(64),
  maxDefinitionChars: z.number().int().positive().default(4_000),
});
export type VocabularySettings = z.infer<typeof VocabularySettings>;
/** As they are given: what is left out is as by default. */
export type VocabularyOptions = z.input<typeof VocabularySettings>;
