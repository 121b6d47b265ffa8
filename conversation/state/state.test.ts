import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InformationState, informationState, openTagger, type StateInput } from './index.ts';
import { found } from './testing/found.ts';

const tag = openTagger();
const state = (input: StateInput): InformationState => informationState(input, tag);

const FEED = {
  text: 'The FTP feed of Aldmere was switched off on 14 March 2024 by Ilse Varnholt.',
  answer: '14 March 2024',
  title: 'Decisions > ADR-0012',
};

describe('informationState', () => {
  it('fits its schema and says what is known of a query that is well supported', () => {
    const input = found('When was the FTP feed of Aldmere switched off?', [FEED], {
      coverage: { terms: ['ftp', 'feed', 'aldmere', 'switched'], unknown: [] },
      vectors: [Float32Array.of(1, 0), Float32Array.of(1, 0)],
    });
    const result = state(input);
    expect(InformationState.parse(result)).toEqual(result);
    expect(result.known).toEqual([
      { text: 'FTP', kind: 'organization', from: 'query', grounded: true },
      { text: 'feed', kind: 'attribute', from: 'query', grounded: true },
      { text: 'Aldmere', kind: 'name', from: 'query', grounded: true },
    ]);
    expect(result).toMatchObject({
      missing: [],
      incompleteness: 0,
      resolutionRate: 1,
      confidence: 0.9,
      coverage: 1,
      turn: 0,
      ambiguity: { score: 0 },
      conflict: { contradiction: 0, cosine: 0 },
    });
    expect(result.answerability).toBeCloseTo(0.9, 12);
  });

  it('measures nothing where nothing was found, and does not call that 0', () => {
    const result = state(found('When was the feed switched off?'));
    expect(result).toMatchObject({
      confidence: null,
      coverage: null,
      answerability: null,
      conflict: { contradiction: null, cosine: null },
      incompleteness: 1,
    });
    expect(result.missing).toEqual([{ kind: 'answer', text: 'answer', recoverable: false }]);
  });

  it('finds names in a query in small letters by the way in which the passages write them', () => {
    const text = 'When Dexter began, the part was played by Heron Vane of Ostrel Quay.';
    const known = state(found('who is heron vane', [{ text, answer: 'Dexter' }])).known;
    expect(known).toContainEqual({ text: 'heron vane', kind: 'name', from: 'query', grounded: true });
  });

  it.each(['What does ADR-00012 decide?', 'what does adr 12 decide', 'What does ADR-12 decide?'])(
    'knows a record by the name that the documents give it: %s',
    (query) => {
      const identifiers = [{ id: 'ADR-0012', known: true, near: [] }];
      const { known, missing } = state(found(query, [FEED], { identifiers }));
      expect(known.filter(({ text }) => /\d/.test(text))).toEqual([
        { text: 'ADR-0012', kind: 'identifier', from: 'query', grounded: true },
      ]);
      expect(missing).toEqual([]);
    },
  );

  it.each([
    ['a pronoun', 'How often is it calibrated?', {}, { kind: 'reference', text: 'it', recoverable: true }],
    [
      'half a comparison',
      'Is the modem cheaper?',
      {},
      { kind: 'comparison', text: 'cheaper', recoverable: true },
    ],
    [
      'an identifier that has neighbours',
      'What does ADR-0050 say?',
      { identifiers: [{ id: 'ADR-0050', known: false, near: ['ADR-0005'] }] },
      { kind: 'identifier', text: 'ADR-0050', recoverable: true },
    ],
    [
      'an identifier that has none',
      'What does ADR-0050 say?',
      { identifiers: [{ id: 'ADR-0050', known: false, near: [] }] },
      { kind: 'identifier', text: 'ADR-0050', recoverable: false },
    ],
    [
      'a word that the corpus does not know',
      'Who writes the payroll?',
      { coverage: { terms: ['payroll'], unknown: ['payroll'] } },
      { kind: 'term', text: 'payroll', recoverable: false },
    ],
    [
      'a name that no passage holds',
      'When was Ravenna built?',
      {},
      { kind: 'entity', text: 'Ravenna', recoverable: false },
    ],
  ])('misses %s', (_, query, given, missing) => {
    expect(state(found(query, [FEED], given)).missing).toContainEqual(missing);
  });

  it('knows what a history named, and misses a reference that it did not supply', () => {
    const input = found('How often is it calibrated?', [FEED], {
      history: [{ role: 'user', text: 'Tell me about the barometer in Aldmere.' }],
    });
    const { missing, known } = state(input);
    expect(missing).toContainEqual({ kind: 'reference', text: 'it', recoverable: true });
    expect(known).toContainEqual({ text: 'Aldmere', kind: 'name', from: 'history', grounded: true });
  });

  it('misses a reading when supported answers differ', () => {
    const says = { entailment: 0.9, neutral: 0.05, contradiction: 0.05 };
    const facts = [
      { text: 'The Ostrel bridge was built in 1900 by the crown.', answer: '1900' },
      { text: 'Old records say that the bridge at Ostrel was built in 1950.', answer: '1950' },
    ];
    const { missing } = state(found('When was the Ostrel bridge built?', facts, {}, () => says));
    expect(missing).toEqual([{ kind: 'interpretation', text: '1900 | 1950', recoverable: true }]);
    const one = state(found('When was the Ostrel bridge built?', facts.slice(0, 1), {}, () => says));
    expect(one.missing).toEqual([]);
  });

  it('misses the conditions of a rule that the asker has not spoken of', () => {
    const text = 'To qualify for the pay you must:\n\n* earn at least £113 a week\n* give the correct notice';
    const facts = [{ text, answer: 'at least £113 a week' }];
    const asked = (query: string, history?: StateInput['history']): string[] =>
      state(found(query, facts, { ...(history && { history }) }))
        .missing.filter(({ kind }) => kind === 'condition')
        .map((one) => one.text);
    expect(asked('Do I qualify for the pay?')).toEqual([
      'earn at least £113 a week',
      'give the correct notice',
    ]);
    expect(
      asked('Do I qualify for the pay?', [
        { role: 'assistant', text: 'Do you earn at least £113 a week?' },
        { role: 'user', text: 'Yes' },
      ]),
    ).toEqual(['give the correct notice']);
    expect(asked('Who qualifies for the pay?')).toEqual([]);
  });

  it('has nothing of an object’s own words', () => {
    const query = 'What do constructor, __proto__ and hasOwnProperty mean?';
    const input = found(query, [FEED], {
      coverage: { terms: ['constructor', '__proto__'], unknown: ['__proto__'] },
    });
    const result = state(input);
    expect(result.coverage).toBe(0);
    expect(result.missing).toContainEqual({ kind: 'term', text: '__proto__', recoverable: false });
    expect(InformationState.parse(result)).toEqual(result);
  });

  it('stays in its ranges and its schema for any text', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.lorem());
    fc.assert(
      fc.property(text, text, fc.boolean(), (query, passage, withHistory) => {
        const facts = passage.trim() === '' ? [] : [{ text: `In 1900 ${passage}`, answer: '1900' }];
        const terms = query.toLowerCase().split(/\s+/);
        const result = state(
          found(query, facts, {
            coverage: { terms, unknown: terms.slice(0, 1) },
            ...(withHistory && { history: [{ role: 'user', text: passage }] }),
          }),
        );
        expect(InformationState.safeParse(result).success).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('reads a bounded part of a query, a history and documents of a megabyte each', () => {
    const long = 'if the Ostrel bridge of 1900 is more '.repeat(30_000);
    const history = Array.from({ length: 200 }, () => ({ role: 'user' as const, text: long }));
    const [passage] = found('?', [{ text: long, answer: '1900' }]).evidence;
    const evidence = Array.from({ length: 20 }, () => passage!);
    const result = state({ ...found(`Do I need ${long}`), history, evidence });
    expect(JSON.stringify(result).length).toBeLessThan(10_000);
    const short = (text: string): string => text.slice(0, 3_700);
    const cut = state({
      ...found(`Do I need ${short(long)}`),
      history: history.slice(-16).map((turn) => ({ ...turn, text: short(long) })),
      evidence: evidence.map((one) => ({ ...one, text: short(long) })),
    });
    expect(result).toEqual(cut);
  });
});
