import { describe, expect, test } from 'vitest';
import { nfAct, nfDirectAct, surfaceAct, trecAct } from './labels.ts';

describe('surfaceAct', () => {
  test.each([
    ['how many campuses does it have', 'QUANTITY'],
    ['In what year did it end?', 'QUANTITY'],
    ['when did they leave', 'QUANTITY'],
    ['cost to hike machu picchu', 'QUANTITY'],
    ['isogloss definition', 'DEFINITION'],
    ['what is airworthiness?', 'DEFINITION'],
    ['what does NAFTA stand for', 'DEFINITION'],
    ["what's the difference between an ipod and a mp3 player?", 'COMPARISON'],
    ['how to make noodles', 'PROCEDURE'],
    ['how are helmets made?', 'PROCEDURE'],
    ['why do people sneeze', 'EXPLANATION'],
    ['How does Vicks vaporub work?', 'EXPLANATION'],
    ['is romaine the same as lettuce', 'VERIFICATION'],
  ])('%s: %s', (text, act) => {
    expect(surfaceAct(text)?.act).toBe(act);
  });

  test.each([
    'who wrote this',
    'is it red or blue',
    "what is william rankine's nationality",
    'When someone dies, what happens to the body',
    '',
    '__proto__',
  ])('%j leaves it open or asks a cause', (text) => {
    expect([undefined, 'EXPLANATION']).toContain(surfaceAct(text)?.act);
  });

  test('marks questions for a point in time', () => {
    expect(surfaceAct('when was it built?')).toEqual({ act: 'QUANTITY', date: true });
    expect(surfaceAct('how old is it?')).toEqual({ act: 'QUANTITY', date: false });
  });
});

test('TREC-QC', () => {
  expect(trecAct('NUM:date', 'When is Boxing Day?')).toEqual({ act: 'QUANTITY', date: true });
  expect(trecAct('NUM:count', 'How many?')?.act).toBe('QUANTITY');
  expect(trecAct('ABBR:exp', 'What is AFS?')?.act).toBe('DEFINITION');
  expect(trecAct('ABBR:abb', 'What is the abbreviation of micro?')?.act).toBe('FACT');
  expect(trecAct('DESC:manner', 'How do you buy stocks?')?.act).toBe('PROCEDURE');
  expect(trecAct('DESC:manner', 'How did Jayne Mansfield die?')?.act).toBe('EXPLANATION');
  expect(trecAct('DESC:desc', 'What is the difference between hair and fur?')?.act).toBe('COMPARISON');
  expect(trecAct('DESC:desc', "What's the Olympic motto?")).toBeUndefined();
  expect(trecAct('HUM:ind', 'Who was he?')?.act).toBe('FACT');
});

describe('NF-CATS', () => {
  test.each([
    ['FACTOID', 'unsupervised', 'do all nfl teams have the same salary cap', 'VERIFICATION'],
    ['FACTOID', 'unsupervised', 'who was the last to leave', 'FACT'],
    ['FACTOID', 'unsupervised', 'how many emails were sent', 'QUANTITY'],
    ['EVIDENCE-BASED', 'mturk', 'meaning of phlegm', 'DEFINITION'],
    ['EVIDENCE-BASED', 'mturk', 'What was the first photograph ever taken?', undefined],
    ['INSTRUCTION', 'mturk', 'How do crop circles form?', 'EXPLANATION'],
    ['INSTRUCTION', 'mturk', 'how late have you ever stayed up?', 'QUANTITY'],
    ['DEBATE', 'unsupervised', 'Is Capitalism Bad?', 'OPINION'],
    ['DEBATE', 'mturk', 'what has happened?', undefined],
    ['EXPERIENCE', 'authors', "What's the best perfume for men?", 'OPINION'],
    ['REASON', 'mturk', 'can i find out the address?', undefined],
    ['NOT-A-QUESTION', 'unsupervised', 'They left.', 'NOT_A_QUESTION'],
    ['NOT-A-QUESTION', 'unsupervised', 'Did they leave?', undefined],
    ['__proto__', 'authors', 'who', undefined],
  ])('%s by %s: %s', (category, annotator, text, act) => {
    expect(nfAct(category, annotator, text)?.act).toBe(act);
  });

  test('categories as they are', () => {
    expect(nfDirectAct('DEBATE')).toBe('OPINION');
    expect(nfDirectAct('constructor')).toBeUndefined();
  });
});
