import { describe, expect, it } from 'vitest';
import { decide } from './index.ts';
import { evidence, input, provisional, rival, span } from './testing/cases.ts';

const OTHER = 'Old bridges rot. Masons built the Ostrel bridge\nin 1950, late in the year. Nobody paid.';
const at = OTHER.indexOf('1950');
const theirs = { text: '1950', start: at, end: at + 4, score: 4 };
const verdicts = [
  { key: 'other#0', source: 1, entailment: 0, contradiction: 0.9, stance: 'contradicts' as const },
];
const other = evidence({ passageId: 'other#0', title: 'Old records', source: 'old.txt', text: OTHER });
const { answers } = input();
const claim = 'The bridge two is years.';
const clusters = [{ ...answers.clusters[0]!, claim }];
const byPassage = new Map([
  ['bridge.md#0', { cluster: 0, score: 0.9, span }],
  ['other#0', { cluster: 1, score: 0.8, span: theirs }],
]);
/** A span that does not stand where its passage has it. */
const moved = new Map([...byPassage, ['other#0', { cluster: 1, score: 0.8, span: { ...theirs, start: 0 } }]]);

describe('a conflict without a choice', () => {
  it('quotes what each side says itself, never our claim, and points to both', () => {
    const { abstention } = decide(
      input({
        evidence: [evidence(), other],
        answers: { ...answers, clusters, byPassage },
        report: { C: 0.6, verdicts, rivals: [rival] },
      }),
      provisional,
    );
    expect(abstention).toEqual({
      reason: 'CONFLICTING_EVIDENCE',
      message:
        'The documents contradict each other: "Ostrel > Bridges" (bridge.md) says "The Ostrel bridge was built in 1900 by the ' +
        'crown.", but "Old records" (old.txt) says "Masons built the Ostrel bridge in 1950, late in the year."',
      suggestions: ['Ostrel > Bridges', 'Old records'],
    });
  });

  it('quotes no words of a side whose words are not known', () => {
    const { abstention } = decide(
      input({
        evidence: [evidence(), other],
        answers: { ...answers, clusters, byPassage: moved },
        report: { C: 0.6, verdicts, rivals: [rival] },
      }),
      provisional,
    );
    expect(abstention!.message).toMatch(/, but "Old records" \(old\.txt\) speaks against it\.$/);
    expect(abstention!.message).not.toContain('two is years');
  });

  it('is none where one of the passages is not in the evidence', () => {
    const alone = { ...answers, clusters, byPassage };
    const { gate } = decide(
      input({ evidence: [evidence()], answers: alone, report: { C: 0.6, verdicts, rivals: [rival] } }),
      provisional,
    );
    expect(gate).toBeNull();
  });
});
