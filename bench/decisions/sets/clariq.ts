import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { readDataFile } from '../../datasets/files.ts';
import type { DecisionQuery, DecisionSet } from '../types.ts';
import { checked, Documents } from './rows.ts';

const FILES = ['clariq/train.tsv.gz', 'clariq/dev.tsv'];

const Rows = z.array(
  z.object({
    topic_id: z.string(),
    initial_request: z.string(),
    topic_desc: z.string(),
    clarification_need: z.enum(['1', '2', '3', '4']),
    facet_desc: z.string(),
  }),
);

/** ClariQ train and dev, one query for each topic. */
export async function loadClariq(dir: string): Promise<DecisionSet> {
  const documents = new Documents();
  const queries = new Map<string, DecisionQuery>();
  for (const file of FILES) {
    const text = await readDataFile(dir, file);
    const read: unknown = parse(text, { columns: true, delimiter: '\t', quote: '"', relax_quotes: true });
    for (const row of checked(read, file, Rows)) {
      for (const facet of [row.topic_desc, row.facet_desc]) {
        if (facet.trim() !== '') documents.add('facet', facet.replaceAll("\\'", "'"), file);
      }
      const id = `clariq:${row.topic_id}`;
      queries.set(id, {
        id,
        query: row.initial_request,
        action: Number(row.clarification_need) >= 3 ? 'ASK' : 'ANSWER',
        group: id,
        source: 'clariq',
        fits: false,
      });
    }
  }
  return {
    about:
      'ClariQ train and dev, the first request of each topic: a need for clarification of 3 or 4 is ASK, of 1 or 2 is ' +
      'ANSWER, which here means not to ask; it has no documents, and the descriptions of the facets of all topics stand ' +
      'for them; no terms stated: never fitted on',
    documents: documents.all,
    queries: [...queries.values()],
  };
}
