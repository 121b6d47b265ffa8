import { describe, expect, it } from 'vitest';
import { concealedTold } from './concealed.ts';
import { runLayers } from './index.ts';
import { supportOf } from './support.ts';
import { clashing, given, settings, told } from './testing/layers.ts';

const HOME = 'bridge.md#0';
const { answers, report } = given();
const [chosen] = answers!.clusters;
const voice = (key: string, source: number, score = 0.8) => ({
  ...chosen!.voices[0]!,
  key,
  docId: key,
  source,
  score,
});
const said = (...voices: ReturnType<typeof voice>[]) => ({
  ...answers!,
  clusters: [{ ...chosen!, voices: [...chosen!.voices, ...voices] }],
});
const verdict = (source: number, stance: 'supports' | 'contradicts' | 'neutral') => ({
  key: `v${source}`,
  source,
  entailment: stance === 'supports' ? 0.9 : 0,
  contradiction: stance === 'contradicts' ? 0.9 : 0,
  stance,
});

describe('supportOf', () => {
  it('counts sources that say the same, likely enough, and those that entail it', () => {
    expect(supportOf(said(), report, HOME)).toBe(1);
    expect(supportOf(said(voice('b#0', 1)), report, HOME)).toBe(2);
    expect(supportOf(said(voice('b#0', 0)), report, HOME)).toBe(1);
    expect(supportOf(said(voice('b#0', 1, 0.1)), report, HOME)).toBe(1);
    expect(supportOf(said(), { verdicts: [verdict(0, 'supports'), verdict(4, 'supports')] }, HOME)).toBe(2);
    expect(supportOf(said(), { verdicts: [verdict(4, 'neutral')] }, HOME)).toBe(1);
  });

  it('counts none that contradicts it, and one for a passage that nobody read', () => {
    expect(supportOf(said(voice('b#0', 1)), { verdicts: [verdict(1, 'contradicts')] }, HOME)).toBe(1);
    expect(supportOf(said(voice('b#0', 1)), report, 'other.md#0')).toBe(1);
  });
});

describe('support', () => {
  it('closes below what is demanded, and says so', () => {
    const demanded = { support: { sources: 2 } };
    expect(told({}, demanded)).toBe('support ABSTAIN TOO_FEW_SOURCES');
    expect(told({ answers: said(voice('b#0', 1)) }, demanded)).toBe('OPEN');
    const { decided } = runLayers(given(), settings(demanded));
    expect(decided).toMatchObject({ measured: 1, limit: 2 });
    expect(decided?.message).toBe('Only one independent source says this; 2 are demanded.');
  });

  const little = { report: { ...report!, C: 0.1 } };

  it('notes that one source is denied by another, however little contradiction was measured', () => {
    const denied = { ...clashing(), ...little };
    expect(told(denied)).toBe('support CAVEAT');
    const { record } = runLayers(given(denied), settings());
    expect(record.find(({ layer }) => layer === 'support')?.finding?.message).toBe(
      'Only one source says this, and another says something else: "History" (bridge.md) says "The Ostrel bridge was built in 1950."',
    );
  });

  it('is silent where two sources agree, where the words do not clash, and where it is off', () => {
    const denied = { ...clashing(), ...little };
    const two = { ...denied.answers!, ...said(voice('c#0', 2)), byPassage: denied.answers!.byPassage };
    expect(
      told({ ...denied, answers: { ...two, byPassage: new Map([...answers!.byPassage, ...two.byPassage]) } }),
    ).toBe('OPEN');
    expect(told({ ...denied, query: 'Who painted the chapel?' })).not.toContain('support');
    expect(told(denied, { support: { on: false } })).toBe('OPEN');
  });

  it.each([0, 21, 1.5])('refuses to demand %d sources', (sources) => {
    expect(() => settings({ support: { sources } })).toThrow();
  });
});

it('hidden text is quoted as what it is, whatever is decided', () => {
  const text = `The Ostrel bridge was built in 1950. ${'x'.repeat(300)}`;
  const hidden = {
    kind: 'not displayed' as const,
    text,
    position: '4:1',
    docId: 'a.html',
    title: 'Bridge',
    source: 'a.html',
  };
  const message = concealedTold([hidden, hidden]);
  expect(message).toMatch(
    /^"Bridge" \(a\.html, 4:1\) holds text that its reader does not see, not displayed: "The Ostrel/,
  );
  expect(message).toMatch(/…"\. It was left out, as were 1 more\.$/);
  expect(told({ concealed: [hidden] })).toBe('poisoned CAVEAT');
  expect(told({ concealed: [hidden] }, { poisoned: { on: false } })).toBe('OPEN');
});
