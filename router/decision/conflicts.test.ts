import { describe, expect, it } from 'vitest';
import { decide } from './index.ts';
import { sentenceAround } from './quotations.ts';
import { evidence, input, provisional, span } from './testing/cases.ts';

const OTHER = 'Old bridges rot. Masons finished the work\nin 1950, late in the year. Nobody paid.';
const at = OTHER.indexOf('1950');
const theirs = { text: '1950', start: at, end: at + 4, score: 4 };
const verdicts = [
  { key: 'other#0', source: 1, entailment: 0, contradiction: 0.9, stance: 'contradicts' as const },
];
const other = evidence({ passageId: 'other#0', title: 'Old records', text: OTHER });
const { answers } = input();
const claim = 'The bridge two is years.';
const clusters = [{ ...answers.clusters[0]!, claim }];
const byPassage = new Map([
  ['bridge.md#0', { cluster: 0, score: 0.9, span }],
  ['other#0', { cluster: 1, score: 0.8, span: theirs }],
]);

describe('a conflict without a choice', () => {
  it('quotes what each side says itself, never our claim, and points to both', () => {
    const { abstention } = decide(
      input({
        evidence: [evidence(), other],
        answers: { ...answers, clusters, byPassage },
        report: { C: 0.6, verdicts },
      }),
      provisional,
    );
    expect(abstention).toEqual({
      reason: 'CONFLICTING_EVIDENCE',
      message:
        'The documents contradict each other: "Ostrel > Bridges" says "The Ostrel bridge was built in 1900 by the ' +
        'crown.", but "Old records" says "Masons finished the work in 1950, late in the year."',
      suggestions: ['Ostrel > Bridges', 'Old records'],
    });
  });

  it('quotes no words of a side whose words are not known', () => {
    const { abstention } = decide(
      input({
        evidence: [evidence(), other],
        answers: { ...answers, clusters },
        report: { C: 0.6, verdicts },
      }),
      provisional,
    );
    expect(abstention!.message).toMatch(/, but "Old records" speaks against it\.$/);
    expect(abstention!.message).not.toContain('two is years');
  });

  it('says nothing of passages that are not in the evidence', () => {
    const alone = { ...answers, clusters, byPassage };
    const tell = (passages: ReturnType<typeof evidence>[]) =>
      decide(input({ evidence: passages, answers: alone, report: { C: 0.6, verdicts } }), provisional)
        .abstention!;
    expect(tell([evidence()]).message).toMatch(/, but another passage speaks against it\.$/);
    expect(tell([evidence()]).suggestions).toEqual(['Ostrel > Bridges']);
    expect(tell([other]).message).toBe('The documents contradict each other.');
    expect(tell([other]).suggestions).toEqual(['Old records']);
  });
});

describe('the sentence around a span', () => {
  const around = (text: string, words: string): string => {
    const start = text.indexOf(words);
    return sentenceAround(text, { start, end: start + words.length });
  };

  it('ends at a paragraph and is whole when the span runs over two', () => {
    expect(around('Heading\n\nTwo years long\n\nNext', 'Two years')).toBe('Two years long');
    expect(around('A one. B two. C three.', 'one. B')).toBe('A one. B');
  });

  it('begins shortly before a span that stands far behind', () => {
    const cut = around(`It is ${'very '.repeat(200)}late in 1950, they say.`, '1950');
    expect(cut).toMatch(/^…very (?:very )*late in 1950, they say\.$/);
    expect(cut.length).toBeLessThan(160);
    expect(around('x'.repeat(5000), 'x'.repeat(4000)).length).toBeGreaterThan(3000);
  });
});
