import { describe, expect, it } from 'vitest';
import type { Decision, Evidence, Part } from '../contracts.ts';
import { leading, wholeOf } from './index.ts';

type Answer = NonNullable<Decision['answer']>;

const passage = (passageId: string): Evidence =>
  ({ passageId, docId: 'd', text: passageId, start: 0 }) as Evidence;

const answer = (passageId: string, over: Partial<Answer> = {}): Answer => ({
  form: 'span',
  text: passageId,
  quotes: [{ text: passageId, docId: 'd', passageId, start: 0, end: passageId.length, role: 'answer' }],
  verdict: null,
  band: 'HIGH',
  claim: 'claim',
  cut: null,
  ...over,
});

const decided = (question: string, over: Partial<Decision>) => ({
  question,
  decision: {
    query: 'all',
    act: question,
    evidence: [],
    caveats: [],
    defaults: [],
    votes: [],
    signals: `signals of ${question}`,
    layers: question,
    U: null,
    tau: null,
    receipt: question,
    timings: question,
    ...over,
  } as unknown as Decision,
});

const answered = (question: string, id: string, over: Partial<Decision> = {}) =>
  decided(question, { action: 'ANSWER', answer: answer(id), evidence: [passage(id)], ...over });
const silent = (question: string, over: Partial<Decision> = {}) =>
  decided(question, {
    action: 'ABSTAIN',
    abstention: { reason: 'UNCERTAIN', message: `No ${question}`, suggestions: [], kind: 'OTHER' },
    ...over,
  });
const asking = (question: string) =>
  decided(question, {
    action: 'ASK',
    clarification: { reason: 'UNCERTAIN', message: `Which ${question}`, suggestions: ['x'] },
  });

describe('the whole of several decisions', () => {
  it('joins answers under their questions, in the form that they share', () => {
    const whole = wholeOf(
      [answered('A?', 'a', { U: 0.1, tau: 0.4 }), answered('B?', 'b', { U: 0.3, tau: 0.5 })],
      null,
    );
    expect(whole.answer).toMatchObject({
      form: 'span',
      text: 'A?\na\n\nB?\nb',
      band: 'HIGH',
      claim: null,
      cut: null,
    });
    expect(whole.answer!.quotes.map(({ passageId }) => passageId)).toEqual(['a', 'b']);
    expect(whole).toMatchObject({
      action: 'ANSWER',
      U: 0.3,
      tau: 0.5,
      signals: 'signals of B?',
      layers: 'A?',
      receipt: 'B?',
    });
  });

  it('is a list where forms differ, as unsure as its least sure answer, and says what was cut', () => {
    const steps = answer('b', { form: 'steps', band: 'LOW', cut: '3 steps were left out.' });
    const { answer: joined } = wholeOf([answered('A?', 'a'), answered('B?', 'b', { answer: steps })], null);
    expect(joined).toMatchObject({ form: 'list', band: 'LOW', cut: 'B? 3 steps were left out.' });
  });

  it('asks before it is silent, names the part, and has no answer of its own', () => {
    const whole = wholeOf([silent('A?'), asking('B?'), answered('C?', 'c')], null);
    expect(whole).toMatchObject({ action: 'ASK', layers: 'A?' });
    expect(whole.clarification).toEqual({
      reason: 'UNCERTAIN',
      message: 'Of your questions, "B?" is open. Which B?',
      suggestions: ['x'],
    });
    expect([whole.answer, whole.abstention]).toEqual([undefined, undefined]);
    expect(whole.parts[2]!.answer!.text).toBe('c');
  });

  it('names every part that is open, and what was not read is one', () => {
    const unread = {
      query: 'D? E?',
      action: 'ABSTAIN',
      abstention: silent('D?').decision.abstention,
    } as Part;
    const whole = wholeOf([answered('A?', 'a'), silent('B "b"?'), silent('C?')], unread);
    expect(whole.abstention!.message).toBe(
      `Of your questions, "B 'b'?", "C?" and "D? E?" are open. No B "b"?`,
    );
    expect(wholeOf([answered('A?', 'a'), answered('B?', 'b')], unread).action).toBe('ABSTAIN');
  });

  it('shows every quoted passage, then the best of each part in turn, each once', () => {
    const ids = (...all: string[]) => all.map(passage);
    const many = answer('a', { quotes: ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => answer(id).quotes[0]!) });
    const shown = (...parts: Parameters<typeof wholeOf>[0]) =>
      wholeOf(parts, null).evidence.map(({ passageId }) => passageId);
    expect(
      shown(
        answered('A?', 'a', { evidence: ids('a', 'x', 'y', 'z') }),
        answered('B?', 'b', { evidence: ids('b', 'a', 'u', 'v') }),
        silent('C?', { evidence: ids('w', 'x') }),
      ),
    ).toEqual(['a', 'b', 'w', 'x', 'y']);
    expect(
      shown(answered('A?', 'a', { answer: many, evidence: ids('a', 'b', 'c', 'd', 'e', 'f') }), silent('B?')),
    ).toHaveLength(6);
  });

  it('is led by what is open', () => {
    const [one, two] = [answered('A?', 'a').decision, silent('B?').decision];
    expect(leading([one, two])).toBe(two);
    expect(leading([one, one])).toBe(one);
  });
});
