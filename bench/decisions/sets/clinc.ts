import { z } from 'zod';
import type { DecisionQuery, DecisionSet } from '../types.ts';
import { Documents, readJson } from './rows.ts';

const FILE = 'clinc-oos/data_full.json.gz';

const Pairs = z.array(z.tuple([z.string(), z.string()]));
const Parts = z.object({ train: Pairs, test: Pairs, oos_test: Pairs });

/** CLINC150: utterances of 150 intents, and utterances of none. */
export async function loadClinc(dir: string): Promise<DecisionSet> {
  const { train, test, oos_test } = await readJson(dir, FILE, Parts);
  const documents = new Documents();
  for (const [text, intent] of train) documents.add('utterance', text, FILE, intent.replaceAll('_', ' '));
  const known: DecisionQuery[] = test.map(([query, intent], place) => ({
    id: `clinc:in-${place}`,
    query,
    action: 'ANSWER',
    group: `clinc:${intent}`,
    source: 'clinc',
    fits: true,
  }));
  const foreign: DecisionQuery[] = oos_test.map(([query], place) => ({
    id: `clinc:out-${place}`,
    query,
    action: 'ABSTAIN',
    group: `clinc:out ${query}`,
    source: 'clinc',
    fits: true,
  }));
  return {
    about:
      'CLINC150: the 15,000 train utterances of 150 intents are the documents, each with its intent for a title; a test ' +
      'utterance of an intent is ANSWER, one out of scope is ABSTAIN; groups are intents',
    documents: documents.all,
    queries: [...known, ...foreign],
  };
}
