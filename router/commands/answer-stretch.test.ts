import { describe, expect, it } from 'vitest';
import type { Act } from '../../profiles/index.ts';
import type { Evidence } from '../contracts.ts';
import { answerStretch } from './answer-stretch.ts';

const OFFSET = 50;

/** The text shown for the first `span` of `text`. */
function shown(act: Act, text: string, span: string): string[] | undefined {
  const start = OFFSET + text.indexOf(span);
  const answer = { text: span, claim: '', docId: 'd', passageId: 'd#0', start, end: start + span.length };
  const passage = { text, start: OFFSET, end: OFFSET + text.length } as Evidence;
  return answerStretch(act, answer, passage)?.map((part) => text.slice(part.start, part.end));
}

const PROSE =
  '## Cache\nDr. Oda wanted it small. The cache is emptied at night because\nthe disk of\r\nthe U.S. node is slow. It is\nrefilled at six.\n\nNo more.';
const STEPS =
  'Before you start, ask.\n\n1. Stop Tern. Wait.\n2. Fetch the key\n   from the notary.\n\n   It is in the safe.\n3. Copy it.\n   - to the spare server\n\n4. Start Tern.\n\nThen rest.';

describe('answerStretch', () => {
  it.each(['FACT', 'QUANTITY', 'DEFINITION'] as const)('keeps the span for %s', (act) => {
    expect(shown(act, PROSE, 'at night')).toEqual(['at night']);
    expect(shown(act, STEPS, 'Stop Tern')).toEqual(['Stop Tern']);
  });

  it.each(['PROCEDURE', 'EXPLANATION', 'COMPARISON', 'OPINION', 'VERIFICATION'] as const)(
    'shows the sentence over all its lines for %s, and nothing of the next paragraph',
    (act) => {
      expect(shown(act, PROSE, 'disk of')).toEqual([
        'The cache is emptied at night because\nthe disk of\r\nthe U.S. node is slow.',
      ]);
      expect(shown(act, PROSE, 'Oda')).toEqual(['Dr. Oda wanted it small.']);
      expect(shown(act, PROSE, 'six')).toEqual(['It is\nrefilled at six.']);
      expect(shown(act, PROSE, 'Cache')).toEqual(['## Cache']);
    },
  );

  it('shows every sentence that the span touches', () => {
    expect(shown('OPINION', 'It is good. I like it. So does Ada.', 'good. I like')).toEqual([
      'It is good. I like it.',
    ]);
  });

  it('shows the whole list for a procedure, without what stands around it', () => {
    expect(shown('PROCEDURE', STEPS, 'the key')).toEqual([
      '1. Stop Tern. Wait.',
      '2. Fetch the key\n   from the notary.\n\n   It is in the safe.',
      '3. Copy it.',
      '   - to the spare server',
      '4. Start Tern.',
    ]);
    expect(shown('PROCEDURE', STEPS, 'ask')).toEqual(['Before you start, ask.']);
  });

  it('stays inside the list item or the table row for other acts', () => {
    expect(shown('EXPLANATION', STEPS, 'notary')).toEqual(['2. Fetch the key\n   from the notary.']);
    expect(shown('COMPARISON', '| a | b |\n|---|---|\n| is slow | is fast |\n| x | y |', 'fast')).toEqual([
      '| is slow | is fast |',
    ]);
  });

  it('shows nothing where the answer is not in the passage', () => {
    const passage = { text: 'Ada sleeps.', start: 0, end: 11 } as Evidence;
    const answer = { text: 'Ben', claim: '', docId: 'd', passageId: 'p', start: 0, end: 3 };
    expect(answerStretch('OPINION', answer, passage)).toBeNull();
  });
});
