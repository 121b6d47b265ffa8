import { describe, expect, it } from 'vitest';
import { oneLine } from '../../common/index.ts';
import { conditionsIn, openConditions } from './conditions.ts';
import { constraintsIn } from './constraints.ts';
import { mentionsIn } from './mentions.ts';
import { openTagger } from './tagger.ts';
import { contentStems } from './words.ts';

describe('the tagger', () => {
  const tag = openTagger();

  it('gives offsets that hold', () => {
    const text = "  What's John's  “car”… at $5,000.50 — he can't/won't go to Aldmere’s fair?\n";
    const words = tag(text);
    expect(words.map(({ start, end }) => text.slice(start, end))).toEqual(words.map((word) => word.text));
    expect(words.map((word) => word.text)).toContain("John's");
  });

  it('is one for the process', () => {
    expect(openTagger()).toBe(tag);
  });

  it('reads the beginning of a long text, whole words of it', () => {
    const words = tag('gauge '.repeat(200_000));
    expect(words.at(-1)!.end).toBeLessThanOrEqual(400);
    expect(words.every(({ text }) => text === 'gauge')).toBe(true);
    expect(tag('x'.repeat(1_000_000)).length).toBeLessThan(10);
  });
});

describe('mentionsIn', () => {
  it('finds names, dates and quantities where they stand', () => {
    const text =
      'The feed was kept for 90 days. Ilse Varnholt of the University of Oslo paid $20 on 14 March 2024, in 1999 and on 2023-05-01; 2 masts.';
    expect(mentionsIn(text).map((m) => `${m.kind} ${text.slice(m.start, m.end)}`)).toEqual([
      'quantity 90 days',
      'name Ilse Varnholt',
      'name University of Oslo',
      'quantity $20',
      'date 14 March 2024',
      'date 1999',
      'date 2023-05-01',
    ]);
  });

  it('does not take the first word of a sentence for a name', () => {
    expect(mentionsIn('Masts fall. However, Gullbox stands. NASA left.').map(({ text }) => text)).toEqual([
      'Gullbox',
      'NASA',
    ]);
  });
});

describe('constraintsIn', () => {
  it.each([
    ['According to ADR-0010, where are backups?', ['source According to ADR-0010']],
    ['Who won the cup in 1998?', ['time in 1998']],
    [
      'Which stations in Aldmere have more than two gauges since 2022?',
      ['place in Aldmere', 'quantity more than two gauges', 'time since 2022'],
    ],
    ['What is the fee without insurance?', ['exclusion without insurance']],
    ['Can I climb if it rains?', ['condition if it rains']],
    ['What is the latest schedule?', ['order latest']],
    ['Why was the rain of June 2024 missing?', ['time June 2024']],
    ['Who leads the platform team?', []],
    ['', []],
  ])('%s', (query, constraints) => {
    expect(constraintsIn(query).map(({ kind, text }) => `${kind} ${text}`)).toEqual(constraints);
  });
});

describe('conditions', () => {
  it('are the items of a list and what follows "if" and "unless"', () => {
    const text =
      'You get it automatically if you are eligible, unless you have contracted out of it.\n\nYou may apply when you are:\n\n* over 60\n* a carer\n\nThe office lists:\n\n* its hours';
    const conditions = conditionsIn(text);
    expect(conditions.map((one) => one.text)).toEqual([
      'you are eligible',
      'you have contracted out of it',
      'over 60',
      'a carer',
    ]);
    for (const one of conditions) expect(text.slice(one.start, one.end)).toBe(one.text);
    expect(openConditions(conditions, 'I am eligible and a carer').map((one) => one.text)).toEqual([
      'you have contracted out of it',
      'over 60',
    ]);
    expect(conditionsIn('')).toEqual([]);
  });

  it('reads a long text in bounded time', () => {
    const text = 'if if if unless '.repeat(100_000) + '\n* x'.repeat(100_000);
    expect(conditionsIn(text).length).toBeLessThanOrEqual(8);
  });
});

describe('words', () => {
  it('unite the commonest endings', () => {
    expect(contentStems('Batteries are stored')).toEqual(contentStems('battery storing'));
    expect(contentStems('the of is')).toEqual(new Set());
    expect(contentStems('__proto__ constructor').size).toBe(2);
  });

  it('are recorded on one line, cut between characters', () => {
    expect(oneLine(' a\n\tb ')).toBe('a b');
    const cut = oneLine('😀'.repeat(100));
    expect(cut.length).toBeLessThanOrEqual(160);
    expect(/[\ud800-\udbff]…$/.test(cut)).toBe(false);
  });
});
