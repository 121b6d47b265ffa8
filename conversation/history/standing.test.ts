import { describe, expect, it } from 'vitest';
import { askedOn, standing, type Turn } from './index.ts';

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

  it.each(['Norway', 'to Norway', 'self-employed', "I'm retired", 'after 3 years'])(
    'takes whatever is replied for a piece that the answer depends on: %s',
    (reply) => {
      const history = turns('What do I pay?', 'The answer depends on "kind of customer". What is it?');
      expect(standing(reply, history)).toMatchObject({
        text: `What do I pay (${reply})?`,
        replies: [{ variable: 'kind of customer', value: reply }],
      });
    },
  );

  it('takes one of the values that were offered for such a piece, and no value of a refusal', () => {
    const asked = 'The answer depends on "kind of customer". What is it: "new members" or "old members"?';
    const history = turns('What do I pay?', asked);
    expect(standing('the second one', history).text).toBe('What do I pay (old members)?');
    expect(standing('not new members', history)).toMatchObject({ text: 'What do I pay?', replies: [] });
  });

  it('has no replies where nothing was asked, or where something else is asked instead', () => {
    expect(standing('family plan', turns('How much is it?', 'It is 60 euros.')).replies).toEqual([]);
    const asked = turns('How much is the plan?', 'Which plan do you mean: "basic" or "family"?');
    expect(standing('Who leads the library?', asked).replies).toEqual([]);
  });

  it('has no reply where the user chose nothing; the question asked about stands', () => {
    const which = 'Which plan do you mean: "basic plan" or "family plan"?';
    const history = turns('How much does the plan cost?', which);
    expect(standing('whatever', history)).toMatchObject({
      text: 'How much does the plan cost?',
      replies: [],
    });
    const further = [...history, ...turns('whatever', 'Which time do you mean: "2023" or "2024"?')];
    expect(standing('2024', further)).toMatchObject({
      text: 'How much does the plan cost (2024)?',
      replies: [{ variable: 'time', value: '2024' }],
    });
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

describe('askedOn', () => {
  const question = 'How much does the plan cost?';
  const which = 'Which plan do you mean: "basic plan" or "family plan"?';
  const time = 'Which time do you mean: "2023" or "2024"?';
  const on = (query: string, ...history: string[]): string[] => {
    const { text, replies } = standing(query, turns(...history));
    return [...askedOn(text, turns(...history), replies.length > 0)];
  };

  it('has what was asked and replied to, chosen or not', () => {
    expect(on('family plan', question, which)).toEqual(['plan']);
    expect(on('whatever', question, which)).toEqual(['plan']);
    expect(on('2024', question, which, 'whatever', time)).toEqual(['plan', 'time']);
    expect(on('no idea', question, which, 'family plan', time)).toEqual(['plan', 'time']);
  });

  it('has nothing on a question that is none of our questions’ doing', () => {
    expect(on('How long is the notice period of the plan?', question, which)).toEqual([]);
    expect(on('Who leads the library?', question, which, 'basic plan', '20 euros.')).toEqual([]);
    expect(on(question)).toEqual([]);
  });
});
