import { describe, expect, it } from 'vitest';
import { render, reportOn } from './report.ts';

const outcome = (article: string, question: string, gold: string, text: string) => ({
  article,
  question,
  gold,
  text,
  answer: null,
  ranking: null,
});

describe('reportOn', () => {
  it('counts what was left alone among the questions that people left alone', () => {
    const reports = reportOn([
      {
        name: 'ours',
        outcomes: [
          outcome('a', 'who leads the data team', 'Who leads the data team?', 'Who leads the data team?'),
          outcome('b', 'Who is Ada?', 'Who is Ada?', 'Who is Ada for Bob?'),
          outcome('b', 'When was it?', 'When was Ada born?', 'When was it?'),
        ],
      },
    ]);
    expect(reports[0]!.untouched).toMatchObject({ mean: 0.5, n: 3, unscored: 1 });
    expect(render(reports)).toContain('left alone (n 2)');
  });
});
