import { describe, expect, it } from 'vitest';
import { standing, type Turn } from './index.ts';

const turns = (...lines: string[]): Turn[] =>
  lines.map((text, i) => ({ role: i % 2 === 0 ? ('user' as const) : ('assistant' as const), text }));

describe('standing', () => {
  it('is the query itself without a history', () => {
    expect(standing('Who is it?', [])).toEqual({
      text: 'Who is it?',
      rewrite: null,
      replies: [],
      history: [],
    });
  });

  it('follows replies back through the questions that they were about', () => {
    const history = turns(
      'How much does the plan cost?',
      'Which plan do you mean: "basic plan" or "family plan"?',
      'family plan',
      'Which time do you mean: "2023" or "2024"?',
    );
    const { text, replies } = standing('2024', history);
    expect(text).toBe('How much does the family plan cost (2024)?');
    expect(replies).toEqual([
      { variable: 'plan', value: 'family plan' },
      { variable: 'time', value: '2024' },
    ]);
  });

  it('has no replies where nothing was asked, or where something else is asked instead', () => {
    expect(standing('family plan', turns('How much is it?', 'It is 60 euros.')).replies).toEqual([]);
    const asked = turns('How much is the plan?', 'Which plan do you mean: "basic" or "family"?');
    expect(standing('Who leads the library?', asked).replies).toEqual([]);
  });

  it('follows a bounded number of replies', () => {
    const again = Array.from({ length: 60 }, (_, i) => [
      `value ${i}`,
      `Which part ${i} do you mean: "a${i}" or "b${i}"?`,
    ]);
    const { replies } = standing(
      'a59',
      turns('How much is the part?', 'Which part do you mean?', ...again.flat()),
    );
    expect(replies.length).toBe(16);
    expect(replies.at(-1)).toEqual({ variable: 'part 59', value: 'a59' });
  });
});
