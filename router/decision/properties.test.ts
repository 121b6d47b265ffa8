import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseAnswer, planNli, type ScoredPassage, signalsFrom } from '../../scorers/index.ts';
import { REASONS } from '../contracts.ts';
import { type DecisionInput, decide, type Thresholds } from './index.ts';
import { evidence, input, noAnswers, provisional, rival, suspect, TEXT, verdict } from './testing/cases.ts';

const premise = { key: 'bridge.md#0', sentence: TEXT, claim: 'It was built.', entailment: 0 };
describe('properties', () => {
  const unit = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null });
  const any = fc.record({
    D: unit,
    C: unit,
    E: unit,
    margin: fc.option(fc.double({ min: -10, max: 10, noNaN: true }), { nil: null }),
    relevance: unit,
    known: fc.double({ min: 0, max: 1, noNaN: true }),
    tau: unit,
    found: fc.boolean(),
    spoke: fc.boolean(),
    contested: fc.boolean(),
    terms: fc.constantFrom(['nowhere'], ['ostrel', 'nowhere', 'gone'], ['ostrel', 'bridge']),
    dense: unit,
    denied: unit,
    poisoned: fc.boolean(),
  });

  const build = (it: typeof any extends fc.Arbitrary<infer T> ? T : never): [DecisionInput, Thresholds] => [
    input({
      evidence: it.found
        ? [evidence({}, { margin: it.margin, relevance: it.relevance, dense: it.dense })]
        : [],
      suspects: it.poisoned ? [suspect] : [],
      premises: it.denied === null ? null : [{ ...premise, contradiction: it.denied }],
      coverage: { terms: [...it.terms], unknown: [], known: it.known },
      ...(it.spoke ? {} : { answers: noAnswers }),
      report: { D: it.D, C: it.C, E: it.E, rivals: it.contested ? [rival] : [] },
    }),
    { ...provisional, tauFor: () => it.tau },
  ];

  it('never answers without evidence, claim, entailment, threshold; always says why not', () => {
    fc.assert(
      fc.property(any, (given) => {
        const [made, thresholds] = build(given);
        const outcome = decide(made, thresholds);
        if (outcome.action === 'ANSWER') {
          expect(given.found && given.spoke && given.E !== null && given.tau !== null).toBe(true);
          expect(outcome.answer!.claim).not.toBe('');
          expect(outcome.U!).toBeLessThanOrEqual(given.tau!);
          expect(outcome.layers.every(({ state }) => state === 'open' || state === 'noted')).toBe(true);
          return;
        }
        expect(outcome.answer).toBeUndefined();
        const told = outcome.action === 'ASK' ? outcome.clarification : outcome.abstention;
        expect(REASONS).toContain(told!.reason);
        expect(told!.suggestions.length).toBeLessThanOrEqual(3);
        expect(told!.message).toMatch(/\S.*[.?]"?$/);
        if (outcome.action === 'ASK') expect(told!.suggestions.length).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });

  it('never refuses for more entailment, less conflict, less disagreement or a higher tau', () => {
    const better = fc.record({
      E: fc.double({ min: 0, max: 1, noNaN: true }),
      step: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(any, better, (given, { E, step }) => {
        const [made, thresholds] = build({ ...given, E });
        if (decide(made, thresholds).action !== 'ANSWER') return;
        const up = (value: number | null) => (value === null ? null : value + (1 - value) * step);
        const down = (value: number | null) => (value === null ? null : value * step);
        for (const change of [
          { E: up(E) },
          { C: down(given.C) },
          { D: down(given.D) },
          { tau: up(given.tau) },
        ]) {
          const [improved, bar] = build({ ...given, E, ...change });
          // A rounding error of U is not a change of mind.
          const slack: Thresholds = { ...bar, tauFor: (name) => Math.min(1, bar.tauFor(name)! + 1e-12) };
          expect(decide(improved, slack).action).toBe('ANSWER');
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is not moved by copies of a passage', () => {
    const passage = (key: string, text: string, answer: string, logit: number): ScoredPassage => ({
      key,
      docId: key,
      title: '',
      text,
      branches: ['lexical', 'dense'],
      relevance: { score: 1 / (1 + Math.exp(-logit)), logit, tokens: 9, truncatedTokens: 0 },
      reading: {
        best: {
          text: answer,
          start: text.indexOf(answer),
          end: text.indexOf(answer) + answer.length,
          score: 5,
        },
        alternatives: [],
        lead: null,
        noAnswer: 0,
        margin: logit,
        tokens: 9,
        truncatedTokens: 0,
      },
    });
    const other = 'Old records say that the bridge at Ostrel was built in 1950.';
    const outcomeOf = (passages: ScoredPassage[], titled = false): string => {
      const query = 'When was the Ostrel bridge built?';
      const answers = chooseAnswer(query, passages);
      const plan = planNli(query, passages, answers, 50);
      const scores = plan.pairs.map(({ premise, hypothesis }) => {
        const agrees = premise.includes(/\d{4}/.exec(hypothesis)![0]);
        return {
          entailment: agrees ? 0.9 : 0.05,
          neutral: 0.05,
          contradiction: agrees ? 0.05 : 0.9,
          tokens: 9,
          truncatedTokens: 0,
        };
      });
      const shown = passages.map(({ key, text, reading }) =>
        evidence(
          { passageId: key, text, title: titled ? `Bridge of ${reading!.best!.text}` : '' },
          { margin: reading!.margin },
        ),
      );
      return verdict(
        decide(
          { ...input({ evidence: shown, answers }), report: signalsFrom(passages, answers, plan, scores) },
          provisional,
        ),
      );
    };
    const honest = [passage('a', TEXT, '1900', 12), passage('b', other, '1950', 12)];
    expect(outcomeOf(honest)).toBe('ABSTAIN CONFLICTING_EVIDENCE');
    expect(outcomeOf(honest, true)).toBe('ASK CONFLICTING_EVIDENCE');
    for (const [text, answer] of [
      [TEXT, '1900'],
      [other, '1950'],
    ] as const) {
      const flood = Array.from({ length: 40 }, (_, i) => passage(`copy${i}`, text, answer, 11.9));
      expect(outcomeOf([...honest, ...flood])).toBe('ABSTAIN CONFLICTING_EVIDENCE');
      expect(outcomeOf([...honest, ...flood], true)).toBe('ASK CONFLICTING_EVIDENCE');
    }
    const alone = [passage('a', TEXT, '1900', 12)];
    const copied = [
      ...alone,
      ...Array.from({ length: 40 }, (_, i) => passage(`copy${i}`, `${TEXT} `, '1900', 11)),
    ];
    expect([outcomeOf(alone), outcomeOf(copied)]).toEqual(['ANSWER', 'ANSWER']);
  });
});
