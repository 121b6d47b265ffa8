import { z } from 'zod';
import type { DecisionQuery, DecisionSet } from '../types.ts';
import { Documents, readLines } from './rows.ts';

const FILES = [
  'conflictqa/conflictQA-strategyQA-chatgpt.jsonl.gz',
  'conflictqa/conflictQA-strategyQA-llama2-70b.jsonl.gz',
];

const Row = z.object({
  question: z.string(),
  parametric_memory: z.string(),
  counter_memory: z.string(),
  parametric_memory_aligned_evidence: z.string(),
  counter_memory_aligned_evidence: z.string(),
});

/** ConflictQA (StrategyQA part): two texts of one side, or one of each. */
export async function loadConflictqa(dir: string): Promise<DecisionSet> {
  const documents = new Documents();
  const queries: DecisionQuery[] = [];
  for (const file of FILES) {
    for (const [place, row] of (await readLines(dir, file, Row)).entries()) {
      const ours = [row.parametric_memory, row.parametric_memory_aligned_evidence];
      const theirs = [row.counter_memory, row.counter_memory_aligned_evidence];
      const [said, aligned] = place % 2 === 0 ? [ours, theirs] : [theirs, ours];
      const add = (variant: string, texts: readonly string[], rest: Pick<DecisionQuery, 'action' | 'also'>) =>
        queries.push({
          id: `conflictqa:${FILES.indexOf(file)}:${place}:${variant}`,
          query: row.question,
          filters: { docId: texts.map((text) => documents.add('side', text, file)) },
          group: row.question,
          source: 'conflictqa',
          fits: true,
          ...rest,
        });
      add('one', said, { action: 'ANSWER' });
      add('both', [said[1]!, aligned[1]!], { action: 'ABSTAIN', also: 'ASK' });
    }
  }
  return {
    about:
      'ConflictQA (StrategyQA), two texts given: both of one side are ANSWER, one of each side are ABSTAIN, and ASK ' +
      'counts as right there; groups are questions',
    documents: documents.all,
    queries,
  };
}
