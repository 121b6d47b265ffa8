/** What is known of documents beside their words: collection, tags, clearance, validity. */
import { z } from 'zod';
import { messageOf, PragauraError, parseAs } from '../../common/index.ts';

const Labels = z.strictObject({
  collection: z.string().min(1).optional(),
  tags: z.array(z.string().min(1)).default([]),
  /** Of its readers; absent where nobody said, which is not the same as 0. */
  clearance: z.number().int().min(0).optional(),
  /** Date or moment, ISO 8601 in UTC. Valid from this on, and until before that. */
  validFrom: z.union([z.iso.date(), z.iso.datetime()]).optional(),
  validTo: z.union([z.iso.date(), z.iso.datetime()]).optional(),
});

const LabelsFile = z.strictObject({
  schema: z.literal('pragaura.labels/1'),
  /** By path; one that ends with "/" is for all documents below it. */
  documents: z.record(z.string(), Labels),
});

/** A document as a policy sees it. */
export interface PolicyDocument extends z.infer<typeof Labels> {
  path: string;
}

/**
 * What is known of a document: of the longest entry that fits, nothing is added up. A record has the labels of its own id,
 * or else those of the `file` that it is in.
 */
export type LabelsOf = (path: string, file?: string) => PolicyDocument;

/** The file that a document is, or that a record is in. */
export function fileOf({ source }: { source: string }): string {
  return source.split('#')[0]!;
}

/** Without labels only the path is known. */
export const NO_LABELS: LabelsOf = (path) => ({ path, tags: [] });

/** Labels from the JSON of a file. Throws POLICY_UNUSABLE. */
export function labelsFrom(value: unknown, file: string): LabelsOf {
  let entries: z.infer<typeof LabelsFile>['documents'];
  try {
    entries = parseAs(LabelsFile, '')(value).documents;
  } catch (error) {
    throw new PragauraError('POLICY_UNUSABLE', `${file}: ${messageOf(error)}`, {
      hint: 'For example {"schema": "pragaura.labels/1", "documents": {"hr/": {"collection": "hr", "clearance": 2}}}',
      cause: error,
    });
  }
  const byPath = new Map(Object.entries(entries));
  const fitting = (path: string) => {
    const folders = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1));
    return [...folders, path].findLast((each) => byPath.has(each));
  };
  return (path, file = path) => {
    const found = fitting(path) ?? fitting(file);
    return { tags: [], ...(found !== undefined && byPath.get(found)), path };
  };
}
