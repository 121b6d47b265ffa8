import { describe, expect, it } from 'vitest';
import { decide } from '../decision/index.ts';
import { conflicting, input, provisional, rival } from '../decision/testing/cases.ts';
import { mayBeEqual, sameKind } from './kinds.ts';

describe('sameKind', () => {
  it.each([
    ['90 days', '30 days', true],
    ['90 days', '3 gigabytes a day', false],
    ['90 days', '2 weeks', true],
    ['ninety calendar days', '30 days', true],
    ['90 days', 'Ilse Varnholt', false],
    ['up to 22km', '5 kilometres', true],
    ['22 km', '22 kg', false],
    ['10 to 20 metres', '5 metres', true],
    ['120', '118 stations', true],
    ['120 stations', '118', true],
    ['120 stations', '118 people', false],
    ['5 members of the board', 'seven members', true],
    ['12%', '14 percent', true],
    ['$5 million', '€20', true],
    ['$5 million', '20 euros', true],
    ['$5 million', '5 May 1900', false],
    ['5 May 1900', 'June 1950', true],
    ['1900', '30 June 1950', true],
    ['1900', '1950', true],
    ['30 June 2023', '90 days', false],
    ['120', '30 June 2023', false],
    ['127.0.0.1', '8118', false],
    ['8118', '127.0.0.1', false],
    ['1.2.3', '1.2.4', true],
    ['14:30', '2 pm', true],
    ['14:30', '2 hours', false],
    ['Ilse Varnholt', 'the board', true],
    ['annually', 'every 12 months', true],
    ['tennis', '90 days', true],
  ])('%s and %s: %s', (chosen, other, same) => {
    expect(sameKind(chosen, other)).toBe(same);
  });
});

describe('mayBeEqual', () => {
  it.each([
    ['2.4 kilometres', '2,400 metres long', true],
    ['2.4 kilometres', '2,500 metres', false],
    ['90 days', '3 months', true],
    ['90 days', '2 months', false],
    ['3.7 million', '3,792,621', true],
    ['3.7 million', '2,900,000', false],
    ['about 2,300 metres', '2,318 metres', true],
    ['2,300 metres', '2,318 metres', false],
    ['$90', '85 euros', true],
    ['€90', '85 euros', false],
    ['90 dollars', '$90', true],
    ['5 May 1900', '5 June 1901', false],
    ['10 to 20 metres', '10 metres', false],
    ['Route 66', '66 Road', false],
    ['1902', '1887', false],
    ['', '5', false],
  ])('%s and %s: %s', (one, other, equal) => {
    const [a, b] = [one, other].map((answer) => ({ sentence: `It is ${answer}.`, answer }));
    expect(mayBeEqual(a!, b!)).toBe(equal);
    expect(mayBeEqual(b!, a!)).toBe(equal);
  });

  it('hears what stands before the number', () => {
    const rounded = { sentence: 'It has some 60,000 books.', answer: '60,000' };
    expect(mayBeEqual(rounded, { sentence: '', answer: '61,400' })).toBe(true);
    expect(mayBeEqual(rounded, { sentence: '', answer: '75,000' })).toBe(false);
  });
});

describe('a rival of another kind', () => {
  const asked = (...texts: string[]) => {
    const rivals = texts.map((text) => ({ ...rival, text }));
    const made = input(conflicting('Ostrel, the other bank', { rivals }));
    const [chosen] = made.answers.clusters;
    return decide(
      { ...made, answers: { ...made.answers, clusters: [{ ...chosen!, text: '90 days' }] } },
      provisional,
    );
  };

  it('is not offered beside those of the same', () => {
    const { message, suggestions } = asked('30 days', '3 gigabytes a day').clarification!;
    expect(suggestions).toEqual(['Ostrel > Bridges', 'Ostrel, the other bank']);
    for (const said of ['"90 days"', '"30 days"']) expect(message).toContain(said);
    expect(message).not.toContain('gigabytes');
  });

  it('is no choice on its own, but the conflict remains', () => {
    const { action, abstention } = asked('3 gigabytes a day');
    expect([action, abstention!.reason]).toEqual(['ABSTAIN', 'CONFLICTING_EVIDENCE']);
    expect(abstention!.message).not.toContain('gigabytes');
  });
});
