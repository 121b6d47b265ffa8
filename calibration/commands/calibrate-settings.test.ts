import { describe, expect, it } from 'vitest';
import { settingsFrom } from './calibrate-settings.ts';

const asked = {
  dev: 'dev.ndjson',
  test: undefined,
  target: 'risk',
  scope: 'acts',
  shared: 'refuse',
  exchangeable: 'documents',
  level: '0.1',
  'ask-level': undefined,
  delta: undefined,
  score: undefined,
  wrong: 'em',
  split: undefined,
  seed: 1,
  cache: 'c',
  out: 'o',
  json: false,
} as const;

/** A planner is asked for, and no thresholds. */
const alone = { target: undefined, level: undefined, out: undefined, 'fit-planner': 'p' } as const;

describe('what is asked of a calibration', () => {
  it('has the defaults of its target', () => {
    const risk = settingsFrom(asked);
    expect(risk).toMatchObject({
      shares: { tune: 40, calibrate: 40, test: 20 },
      thresholds: { rule: { kind: 'em' }, ask: null, kind: 'formula' },
      fit: null,
    });
    expect(risk.thresholds!.delta!.text).toBe('0.1');
    expect(settingsFrom({ ...asked, target: 'coverage', level: '.8' }).thresholds!.delta).toBeNull();
    const joint = settingsFrom({ ...asked, target: 'joint', 'ask-level': '0.2', delta: '0.05' }).thresholds!;
    expect([joint.ask!.text, joint.delta!.text]).toEqual(['0.2', '0.05']);
    expect(settingsFrom({ ...asked, test: 'test.ndjson' }).shares).toEqual({
      tune: 50,
      calibrate: 50,
      test: 0,
    });
    expect(settingsFrom({ ...asked, test: 't', split: '30/70' }).shares).toEqual({
      tune: 30,
      calibrate: 70,
      test: 0,
    });
  });

  it('is a planner alone, with what it weighs, or one with thresholds on it', () => {
    const utilities = 'wrong=3,question=1,silence=2';
    const planner = settingsFrom({ ...asked, ...alone, utilities, split: '80/0/20' });
    expect(planner.thresholds).toBeNull();
    expect(planner.fit).toEqual({ file: 'p', utilities: { wrong: 3, question: 1, silence: 2 } });
    expect(planner.shares).toEqual({ tune: 80, calibrate: 0, test: 20 });
    for (const score of [undefined, 'planner'] as const) {
      const both = settingsFrom({ ...asked, 'fit-planner': 'p', score });
      expect(both).toMatchObject({ fit: { file: 'p' }, thresholds: { kind: 'planner', out: 'o' } });
      expect(both.fit!.utilities).toBeUndefined();
    }
  });

  it('takes a rule by F1', () => {
    expect(settingsFrom({ ...asked, wrong: 'f1:0.5' }).thresholds!.rule).toMatchObject({
      kind: 'f1',
      least: { text: '0.5' },
    });
  });

  it.each(['0', '1', '1.5', '5%', '-0.1', '1e-1', '', 'NaN', '0,1'])(
    'has no level %j, and says which option',
    (level) => {
      for (const option of ['level', 'delta', 'ask-level'] as const) {
        const target = option === 'ask-level' ? 'joint' : 'risk';
        expect(() => settingsFrom({ ...asked, target, [option]: level })).toThrow(`--${option}: `);
      }
      expect(() => settingsFrom({ ...asked, wrong: `f1:${level}` })).toThrow('--wrong: ');
    },
  );

  it.each([
    [{ target: 'coverage', delta: '0.1' }, '--delta is for'],
    [{ 'ask-level': '0.1' }, '--ask-level is for'],
    [{ target: 'joint' }, 'needs --ask-level'],
    [{ wrong: 'exact' }, '--wrong is "em" or'],
    [{ split: '40/40' }, '--split takes three parts'],
    [{ split: '0/50/50' }, '--split takes three parts'],
    [{ split: '40/-40/20' }, '--split takes three parts'],
    [{ split: 'a/b/c' }, '--split takes three parts'],
    [{ split: '1/1/1/1' }, '--split takes three parts'],
    [{ split: '40/40/20', test: 't' }, 'say 40/40/0'],
    [{ split: '80/0/20' }, 'the first two above 0'],
    [{ level: undefined }, '--level is missing'],
    [{ out: undefined }, '--out is missing'],
    [{ target: undefined }, '--level is for thresholds'],
    [{ ...alone, 'fit-planner': undefined }, 'What shall be promised?'],
    [{ ...alone, score: 'planner' }, '--score is for thresholds'],
    [{ ...alone, split: '0/50/50' }, 'the first above 0'],
    [{ ...alone, utilities: 'wrong=2' }, 'does not say "question"'],
    [{ utilities: 'wrong=2,question=1,silence=1' }, '--utilities is for --fit-planner'],
    [{ 'fit-planner': 'p', score: 'learned' }, '--score learned asks for no planner'],
    [{ 'fit-planner': './o' }, 'two files'],
  ] as const)('refuses %j', (change, message) => {
    expect(() => settingsFrom({ ...asked, ...change })).toThrow(message);
    expect(() => settingsFrom({ ...asked, ...change })).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
