import { expect, it } from 'vitest';
import { evidence } from '../decision/testing/cases.ts';
import { leavesOpen } from './openness.ts';

const found = (relevance: number) =>
  ['Uploads', 'Memory', 'Mail'].map((name) =>
    evidence({ title: `Manual > ${name}` }, { relevance, dense: 0.3, lexical: 0.1 }),
  );

it('takes a question that says nothing for open, and one of which no passage says anything for unanswered', () => {
  expect(leavesOpen('How large can it be?', found(0.2))).toBe(true);
  expect(leavesOpen('How large can it be?', found(0.02))).toBe(true);
  expect(leavesOpen('Where is the invoice kept?', found(0.2))).toBe(true);
  expect(leavesOpen('Where is the invoice kept?', found(0.02))).toBe(false);
});
