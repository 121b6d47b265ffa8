import { z } from 'zod';
import { unreadable } from '../../datasets/files.ts';
import type { DecisionQuery, DecisionSet } from '../types.ts';
import { Documents, readJson } from './rows.ts';

export const CONTRACTS = 'contract-nli/dev.json.gz';

/** Contracts with what they say of each hypothesis; `spans` of an annotation are places in those of its document. */
export const Contracts = z.object({
  documents: z.array(
    z.object({
      id: z.number(),
      text: z.string(),
      spans: z.array(z.tuple([z.number(), z.number()])),
      annotation_sets: z
        .array(
          z.object({
            annotations: z.record(
              z.string(),
              z.object({
                choice: z.enum(['Entailment', 'Contradiction', 'NotMentioned']),
                spans: z.array(z.number()),
              }),
            ),
          }),
        )
        .length(1),
    }),
  ),
  labels: z.record(z.string(), z.object({ hypothesis: z.string() })),
});

/** ContractNLI dev, the contract given; the shipped weights were trained on contracts of its train part. */
export async function loadContractNli(dir: string): Promise<DecisionSet> {
  const documents = new Documents();
  const queries: DecisionQuery[] = [];
  const set = await readJson(dir, CONTRACTS, Contracts);
  for (const { id, text, annotation_sets } of set.documents) {
    const docId = documents.add('contract', text, CONTRACTS);
    for (const [label, { choice }] of Object.entries(annotation_sets[0]!.annotations)) {
      const statement = set.labels[label];
      if (statement === undefined) throw unreadable(CONTRACTS, `there is no hypothesis ${label}`);
      queries.push({
        id: `contract:${id}:${label}`,
        query: asQuestion(statement.hypothesis),
        filters: { docId: [docId] },
        action: choice === 'NotMentioned' ? 'ABSTAIN' : 'ANSWER',
        group: docId,
        source: 'contract-nli',
        fits: true,
      });
    }
  }
  return {
    about:
      'ContractNLI dev, the contract given: the hypothesis as a yes-or-no question; ' +
      'entailed and contradicted are ANSWER, not mentioned is ABSTAIN; groups are contracts',
    documents: documents.all,
    queries,
  };
}

/**
 * A statement about duties as the question whether it holds: the modal verb goes to the front. "Receiving Party shall
 * not copy it." becomes "Shall Receiving Party not copy it?". Without such a verb: "Is it true that …?".
 */
export function asQuestion(statement: string): string {
  const told = statement.trim().replace(/[.\s]+$/, '');
  const [, subject, modal, rest] = /^(.+?) (shall|may|must|can|will|should) (.+)$/s.exec(told) ?? [];
  if (subject === undefined) return `Is it true that ${lowered(told)}?`;
  return `${modal![0]!.toUpperCase()}${modal!.slice(1)} ${lowered(subject)} ${rest}?`;
}

/** "All of it" inside a sentence; names keep their capitals. */
function lowered(text: string): string {
  return text.replace(/^(?:A|All|An|Any|Each|Every|No|Some|The|This|These|It)\b/, (word) =>
    word.toLowerCase(),
  );
}
