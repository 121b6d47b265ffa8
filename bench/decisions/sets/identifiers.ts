import { decisionRecords, questionsAbout } from '../../../router/layers/index.ts';
import type { DecisionSet } from '../types.ts';

const TRIES = 500;

/** Forty generated decision records, questions about them and about records that do not exist. */
export function loadIdentifiers(): DecisionSet {
  const documents = Object.entries(decisionRecords()).map(([file, text]) => {
    const [heading, ...rest] = text.split('\n');
    const title = heading!.replace(/^#\s*/, '');
    return { docId: file, title, text: rest.join('\n').trim(), source: 'generated' };
  });
  const queries = [true, false].flatMap((exist) =>
    questionsAbout(exist, TRIES).map(({ id, query }) => ({
      id: `identifiers:${id}`,
      query,
      ...(exist ? { action: 'ANSWER' as const } : { action: 'ASK' as const, also: 'ABSTAIN' as const }),
      group: id,
      source: 'identifiers',
      fits: false,
    })),
  );
  return {
    about:
      `${documents.length} generated decision records: ${TRIES} questions about records that exist are ANSWER, ${TRIES} ` +
      'about records that do not are ASK, and ABSTAIN counts as right there',
    documents,
    queries,
  };
}
