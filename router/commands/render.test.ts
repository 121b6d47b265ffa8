import { describe, expect, it } from 'vitest';
import { colours } from '../../common/index.ts';
import type { Decision, Evidence } from '../contracts.ts';
import { FEATURES, type Features } from '../decision/index.ts';
import type { Explanation } from '../types.ts';
import { placeOf, renderDecision } from './render-decision.ts';
import { renderExplanation } from './render-explanation.ts';

const PLAIN = colours({ write: () => true, isTTY: false }, {});
const COLOURED = colours({ write: () => true, isTTY: true }, {});
const wide = { colours: PLAIN, width: Number.POSITIVE_INFINITY };
const amounts = { docsScored: 1, rerankPairs: 2, nliPairs: 3, contextTokens: 4 };

function passage(over: Partial<Evidence> = {}): Evidence {
  const text = 'Rules.\nRaw data is kept for 90 days and then deleted.';
  return {
    docId: 'd',
    passageId: 'd#0',
    start: 100,
    end: 100 + text.length,
    text,
    title: 'Handbook > Retention',
    genre: 'narrative',
    source: 'docs/handbook.md',
    position: '12:5',
    branches: ['lexical'],
    scores: { lexical: 1, dense: 1, fused: 1, relevance: 1, margin: 1, entailment: 1, contradiction: 0 },
    ...over,
  };
}

function answer(text: string, start: number): NonNullable<Decision['answer']> {
  const quote = {
    text,
    docId: 'd',
    passageId: 'd#0',
    start,
    end: start + text.length,
    role: 'answer' as const,
  };
  return { form: 'span', text, quotes: [quote], verdict: null, band: 'HIGH', claim: 'x', cut: null };
}

function decision(over: Partial<Decision> = {}): Decision {
  const start = 100 + passage().text.indexOf('90 days');
  return {
    schema: 'pragaura.decision/4',
    id: 'ask',
    query: 'How long?',
    action: 'ANSWER',
    act: { label: 'QUANTITY', probabilities: { QUANTITY: 0.9, FACT: 0.1 } as never, confident: false },
    answer: answer('90 days', start),
    parts: [],
    evidence: [passage()],
    state: null,
    layers: [],
    caveats: [],
    defaults: [],
    votes: [],
    graph: null,
    plan: null,
    signals: {
      D: 0,
      C: 0,
      E: 0.95,
      counts: {
        branchAnswers: 3,
        distinctAnswers: 2,
        duplicatesRemoved: 0,
        independentSources: 2,
        offTopicPairs: 0,
        pairsScored: 4,
        pairsDenied: 0,
        truncatedTokens: 0,
      },
    },
    U: 0.1,
    tau: 0.3,
    guarantee: { status: 'NOT_CALIBRATED', sentence: 'Nothing is promised.' },
    receipt: {
      budget: { ...amounts, ms: null },
      spent: { ...amounts, ms: 5 },
      stages: [{ stage: 'lexical', granted: amounts, spent: amounts, ms: 5 }],
    },
    timings: { retrieve: 3 },
    versions: {
      index: 'i',
      models: { read: 'm' },
      arithmetic: 'exact',
      profiles: 'p',
      layers: 'l',
      vocabulary: null,
      graph: null,
      planner: null,
      calibration: null,
    },
    ...over,
  };
}

describe('a decision for people', () => {
  it('names a place once, however many passages lie there', () => {
    const others = ['d#1', 'd#2', 'e#0'].map((passageId) =>
      passage({ passageId, ...(passageId === 'e#0' && { source: 'e.md' }) }),
    );
    expect(renderDecision(decision({ evidence: [passage(), ...others] }), wide)).toContain(
      'Also read:\n  docs/handbook.md:12:5  Handbook > Retention\n  e.md:12:5  Handbook > Retention\n\n',
    );
  });

  it('shows the answer inside its evidence with the place of the answer', () => {
    expect(renderDecision(decision(), wide)).toBe(
      [
        'Answer: 90 days',
        '',
        '  Rules. Raw data is kept for 90 days and then deleted.',
        '  docs/handbook.md:13:22  Handbook > Retention',
        '',
        'Nothing is promised.',
        '',
      ].join('\n'),
    );
  });

  it('highlights the answer, and nothing else, in the evidence', () => {
    const text = renderDecision(decision(), { ...wide, colours: COLOURED });
    const evidence = text.split('\n')[2];
    const on = '\u001b[1m\u001b[32m';
    const off = '\u001b[39m\u001b[22m';
    expect(evidence).toBe(`  Rules. Raw data is kept for ${on}90 days${off} and then deleted.`);
  });

  it('shows each form in its shape: numbered steps, a verdict, what is said of each side, and what was left out', () => {
    const quote = answer('90 days', 128).quotes[0]!;
    const shown = (given: Partial<NonNullable<Decision['answer']>>) =>
      renderDecision(decision({ answer: { ...answer('90 days', 128), ...given } }), wide).split('\n');
    expect(
      shown({
        form: 'steps',
        text: 'To do:\n1. Wait 90 days.\n2. Delete it.',
        cut: 'What follows item 2 is not shown.',
      }),
    ).toEqual(
      expect.arrayContaining([
        'Answer:',
        '  To do:',
        '  1. Wait 90 days.',
        '  2. Delete it.',
        'What follows item 2 is not shown.',
      ]),
    );
    expect(shown({ form: 'verdict', verdict: 'no', text: 'No.\nRaw data is kept.' }).slice(0, 2)).toEqual([
      'Answer: No.',
      '  Raw data is kept.',
    ]);
    const sides = shown({
      form: 'comparison',
      text: 'raw: kept for 90 days\nmeans: kept for ever',
      quotes: [
        { ...quote, role: 'side', of: 'raw' },
        { ...quote, role: 'side', of: 'means' },
      ],
    });
    expect(sides.slice(0, 3)).toEqual(['Answer:', '  raw: kept for 90 days', '  means: kept for ever']);
    expect(sides.filter((line) => line.includes('docs/handbook.md'))).toHaveLength(1);
  });

  it('says of an answer whose words are not sure that they are not', () => {
    const low = renderDecision(
      decision({ answer: { ...answer('90 days', 128), form: 'passage', band: 'LOW' } }),
      wide,
    );
    expect(low.split('\n')[0]).toBe('Probably: 90 days');
    expect(low).toContain('Not certain:\n  - The passage answers, but which of its words do is not sure.');
  });

  it('cuts a long passage at words around the answer', () => {
    const text = `${'before '.repeat(100)}90 days${' after'.repeat(100)}`;
    const start = text.indexOf('90');
    const shown = renderDecision(
      decision({
        evidence: [passage({ text, start: 0, end: text.length })],
        answer: answer('90 days', start),
      }),
      wide,
    ).split('\n')[2]!;
    expect(shown).toMatch(/^ {2}…before (before )+90 days (after )+after…$/);
    expect(shown.length).toBeLessThan(520);
  });

  it('says in words what was not certain', () => {
    const { signals } = decision();
    const doubtful = decision({
      signals: {
        D: 0.5,
        C: null,
        E: 0.6,
        counts: { ...signals.counts, independentSources: 1, truncatedTokens: 9, pairsDenied: 2 },
      },
    });
    const text = renderDecision(doubtful, wide);
    expect(text.slice(text.indexOf('Not certain')).split('\n').slice(0, 7)).toEqual([
      'Not certain:',
      '  - The branches found 2 different answers (0.50)',
      '  - Whether the sources contradict each other could not be measured.',
      '  - The evidence supports the answer only in part (0.60)',
      '  - There is one independent source only.',
      '  - 9 word pieces of the evidence went unread.',
      '  - 2 comparisons did not fit the budget of 3.',
    ]);
  });

  it('asks back with suggestions, or says why not, with what came closest', () => {
    const { answer: _, ...rest } = decision();
    const refusal = {
      reason: 'UNKNOWN_IDENTIFIER',
      message: 'No ADR-0050.',
      suggestions: ['ADR-0012?'],
    } as const;
    const ask = renderDecision(
      { ...rest, action: 'ASK', clarification: { ...refusal, suggestions: ['ADR-0012?'] } },
      wide,
    );
    expect(ask).toContain(
      'Question back: No ADR-0050.\n  (UNKNOWN_IDENTIFIER)\n\nYou may mean:\n  - ADR-0012?\n',
    );
    expect(ask).toContain('Closest:\n  docs/handbook.md:12:5  Handbook > Retention\n');
    const parts = ['d#0', 'd#1', 'd#2'].map((passageId) => passage({ passageId }));
    const other = passage({ passageId: 'e#0', source: 'e.md', position: 'p. 3' });
    const closest = renderDecision(
      {
        ...rest,
        action: 'ASK',
        evidence: [...parts, other],
        clarification: { ...refusal, suggestions: [] },
      },
      wide,
    );
    expect(closest).toContain(
      'Closest:\n  docs/handbook.md:12:5  Handbook > Retention\n  e.md, p. 3  Handbook > Retention\n',
    );
    const abstain = renderDecision(
      {
        ...rest,
        action: 'ABSTAIN',
        evidence: [],
        abstention: { reason: 'NO_RESULTS', message: 'Nothing.', suggestions: [], kind: 'NOTHING' },
      },
      wide,
    );
    expect(abstain).toBe('No answer: Nothing.\n  (NO_RESULTS)\n\nNothing is promised.\n');
  });

  it('shows the choices of a question, what a conversation and habits made of it, and caveats', () => {
    const { answer: _, ...rest } = decision();
    const option = (value: string) => ({ value, passageIds: [], weight: 0.5, query: `How long (${value})?` });
    const text = renderDecision(
      {
        ...rest,
        action: 'ASK',
        evidence: [],
        selfContained: { text: 'How long is it for the K3?', reasons: [], open: [] },
        caveats: ['A passage was left out.'],
        clarification: {
          reason: 'BRANCHES_DISAGREE',
          message: 'Which plan do you mean: "basic" or "family"?',
          suggestions: ['basic', 'family'],
          question: {
            kind: 'modifier',
            variable: 'plan',
            options: [option('basic'), option('family')],
            gain: 1,
            resolution: 0.5,
          },
        },
      },
      wide,
    );
    expect(text).toBe(
      [
        'Understood as: How long is it for the K3?',
        '',
        'Question back: Which plan do you mean: "basic" or "family"?',
        '  (BRANCHES_DISAGREE)',
        '',
        'You may mean:',
        '  1. basic',
        '  2. family',
        '',
        'Noted:',
        '  - A passage was left out.',
        '',
        'Nothing is promised.',
        '',
      ].join('\n'),
    );
    const habit = { sentence: 'Took "family" for plan: 6 earlier signals.' } as Decision['defaults'][number];
    expect(
      renderDecision(decision({ defaults: [habit], routed: 'How long is the family plan?' }), wide),
    ).toMatch(
      /^By habit: Took "family" for plan: 6 earlier signals\.\nAsked instead: How long is the family plan\?\n\nAnswer: 90 days\n/,
    );
  });

  it('lets nothing from documents or queries reach the terminal as an escape or as a line of its own', () => {
    const evil = '\u001b]0;pwned\u0007\u009b2J\r\nAnswer: forged\u202e';
    const start = 100;
    const evilPassage = passage({ text: evil, title: evil, source: evil, position: evil, start });
    const { answer: _, ...rest } = decision({ evidence: [evilPassage] });
    const refusal = { reason: 'UNCERTAIN' as const, message: evil, suggestions: [evil] };
    const texts = [
      renderDecision({ ...rest, answer: answer(evil, start) }, wide),
      renderDecision({ ...rest, action: 'ASK', clarification: refusal }, wide),
      renderExplanation(
        explanation({
          candidates: [{ passageId: evil, docId: evil, fused: 1, relevance: 1, reading: evil, margin: 1 }],
          branches: [{ name: 'lexical', hits: [{ passageId: evil, score: 1 }] }],
        }),
        PLAIN,
      ),
    ];
    for (const text of texts) {
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
      expect(text).not.toMatch(/^\s*Answer: forged/m);
    }
  });

  it('wraps to the width of the terminal', () => {
    for (const line of renderDecision(decision(), { colours: PLAIN, width: 30 }).split('\n')) {
      if (!line.includes('docs/')) expect(line.length).toBeLessThanOrEqual(30);
    }
  });
});

describe('placeOf', () => {
  it('moves line and column to the answer, leaves pages alone', () => {
    expect(placeOf(passage())).toBe('docs/handbook.md:12:5');
    expect(placeOf(passage(), 103)).toBe('docs/handbook.md:12:8');
    expect(placeOf(passage(), 107)).toBe('docs/handbook.md:13:1');
    expect(placeOf(passage({ position: 'p. 3' }), 107)).toBe('docs/handbook.md, p. 3');
    expect(placeOf(passage({ position: '' }))).toBe('docs/handbook.md');
  });
});

function explanation(over: Partial<Explanation> = {}): Explanation {
  return {
    decision: decision(),
    policy: 'act',
    blendedFrom: [
      { act: 'QUANTITY', weight: 0.9 },
      { act: 'FACT', weight: 0.1 },
    ],
    branches: [{ name: 'lexical', hits: [{ passageId: 'd#0', score: 3.25 }] }],
    candidates: [{ passageId: 'd#0', docId: 'd', fused: 0.9, relevance: null, reading: null, margin: null }],
    candidate: {
      text: '90 days',
      claim: 'It is 90 days.',
      score: 0.9,
      docId: 'd',
      passageId: 'd#0',
      passage: 'It is 90 days.',
    },
    ranking: [{ docId: 'd', passageId: 'd#0' }],
    composed: null,
    closed: null,
    features: Object.fromEntries(FEATURES.map((name) => [name, null])) as Features,
    planning: null,
    input: null,
    ...over,
  };
}

describe('several questions', () => {
  const QUESTIONS = ['How long is raw data kept?', 'Who deletes it?'];
  const { act, answer: kept } = decision();
  const part = { act, U: 0.1, tau: 0.3 };
  const answered = { ...part, query: QUESTIONS[0]!, action: 'ANSWER' as const, answer: kept };
  const refusal = { reason: 'UNCERTAIN' as const, message: 'Not known.', suggestions: ['Retention'] };
  const silent = {
    ...part,
    query: QUESTIONS[1]!,
    action: 'ABSTAIN' as const,
    abstention: { ...refusal, kind: 'OTHER' as const },
  };
  const asking = { ...part, query: QUESTIONS[1]!, action: 'ASK' as const, clarification: refusal };

  it('are shown one by one, each with its answer and passage as it would be alone', () => {
    const text = renderDecision(decision({ parts: [answered, { ...answered, query: QUESTIONS[1]! }] }), wide);
    const [one, two] = [text.indexOf(`1. ${QUESTIONS[0]}`), text.indexOf(`2. ${QUESTIONS[1]}`)];
    expect(one).toBe(0);
    const alone = renderDecision(decision(), wide).split('\n\nNothing is promised')[0]!;
    expect(text.slice(0, two)).toBe(`1. ${QUESTIONS[0]}\n${alone}\n\n`);
    expect(text.match(/Answer: 90 days/g)).toHaveLength(2);
    expect(text).not.toContain('questions answered');
    expect(text.match(/Nothing is promised/g)).toHaveLength(1);
  });

  it('keep their answers where the whole has none, and it is said how many are open', () => {
    const { answer: _, ...open } = decision({ action: 'ABSTAIN', parts: [answered, silent] });
    const text = renderDecision(
      { ...open, abstention: { ...refusal, message: 'Of your questions …', kind: 'OTHER' } },
      wide,
    );
    expect(text).toContain('Answer: 90 days');
    expect(text).toContain(`2. ${QUESTIONS[1]}\nNo answer: Not known.\n  (UNCERTAIN)`);
    expect(text).toContain('\n1 of 2 questions answered.\n');
    expect(text).not.toContain('Of your questions');
  });

  it('say what a reply is about where several ask back', () => {
    const { answer: _, ...open } = decision({ action: 'ASK', parts: [asking, asking] });
    const text = renderDecision({ ...open, clarification: refusal }, wide);
    expect(text.match(/Question back: Not known\./g)).toHaveLength(2);
    expect(text).toContain('0 of 2 questions answered. A reply goes to the first question back.');
  });

  it('are harmless on a terminal', () => {
    const parts = [{ ...answered, query: 'What\u001b[31m is\u0007 it?' }];
    const text = renderDecision(decision({ parts }), wide);
    expect([...text].filter((char) => char < ' ' && char !== '\n')).toEqual([]);
  });
});

describe('an explanation for people', () => {
  it('shows act, blend, branches, candidates, signals with counts, receipt, time and versions', () => {
    const text = renderExplanation(explanation(), PLAIN);
    for (const wanted of [
      'Act: QUANTITY (unsure, so profiles are blended)',
      'QUANTITY  90.0 %',
      'QUANTITY 90.0 %, FACT 10.0 %',
      /lexical +1 +d#0 3\.250/,
      /d#0 +0\.900 +- +- +-/,
      /E \(evidence entails\) +0\.950/,
      /pairsScored +4/,
      /lexical +1\/1 +2\/2 +3\/3 +4\/4 +5/,
      /calibration +none/,
    ]) {
      expect(text).toMatch(wanted);
    }
  });
});
