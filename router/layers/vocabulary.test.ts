import { describe, expect, it } from 'vitest';
import { Vocabulary, type VocabularyReport } from '../vocabulary/index.ts';
import { type LayerInput, runLayers } from './index.ts';
import { concept, given, query, settings, told } from './testing/layers.ts';

describe('vocabulary', () => {
  it.each<[string, string, string]>([
    ['What is a feeder line?', 'DEFINITION', 'vocabulary EVIDENCE null'],
    ['define FEEDERS', 'FACT', 'vocabulary EVIDENCE null'],
    ['What does "feeder" mean?', 'FACT', 'vocabulary EVIDENCE null'],
    ['What is Mercury?', 'DEFINITION', 'vocabulary ASK AMBIGUOUS_TERM'],
    ['What is a copy?', 'DEFINITION', 'vocabulary EVIDENCE null'],
    ['What is a fedder?', 'DEFINITION', 'vocabulary ASK UNKNOWN_TERM'],
    ['What is the meaning of flux?', 'FACT', 'vocabulary ASK UNKNOWN_TERM'],
    ['What is a feeder pillar?', 'DEFINITION', 'vocabulary ASK UNKNOWN_TERM'],
    ['feeder line?', 'FACT', 'vocabulary EVIDENCE null'],
    ['what is a feeder', 'FACT', 'vocabulary EVIDENCE null'],
    ['Hi! Could you tell me what a feeder line is, please?', 'FACT', 'vocabulary EVIDENCE null'],
    ['I read the word "feeder" in the plan. What does it mean?', 'FACT', 'vocabulary EVIDENCE null'],
    ['Someone mentioned a feeder line yesterday. What is that?', 'FACT', 'vocabulary EVIDENCE null'],
    ['What is a feeder? I am new to this.', 'FACT', 'vocabulary EVIDENCE null'],
    ['How would you define a flux in plain English?', 'FACT', 'vocabulary ASK UNKNOWN_TERM'],
    ['What is a feeder? Who built it?', 'FACT', 'OPEN'],
    ['What is the purpose of a feeder line?', 'DEFINITION', 'OPEN'],
    ['I know what a feeder line is, but how long is it?', 'DEFINITION', 'OPEN'],
    ['can you tell me what time it is', 'DEFINITION', 'OPEN'],
    ['fedder line', 'DEFINITION', 'OPEN'],
    ['What is a busbar?', 'DEFINITION', 'OPEN'],
    ['What is a fedder?', 'FACT', 'OPEN'],
    ['What is the capital of Ostrel?', 'DEFINITION', 'OPEN'],
    ['What is included in the fee?', 'DEFINITION', 'OPEN'],
    ['What is it?', 'DEFINITION', 'OPEN'],
    ['What does it mean?', 'DEFINITION', 'OPEN'],
    ['What does IT mean?', 'DEFINITION', 'vocabulary ASK UNKNOWN_TERM'],
    ['Who built the feeder line?', 'FACT', 'OPEN'],
    ['What is 2 + 2?', 'DEFINITION', 'OPEN'],
  ])('%s as %s: %s', (text, label, expected) => {
    expect(told(query(text, label))).toBe(expected);
  });

  it('does not look for a term in a long text', () => {
    expect(told(query(`What is ${'a'.repeat(100_000)}?`))).toBe('OPEN');
  });

  it('offers names that it has, tells readings apart, and hands out the definition', () => {
    const ask = (text: string) => runLayers(given(query(text)), settings()).decided;
    expect(ask('What is a fedder line?')?.suggestions).toEqual(['Feeder line']);
    expect(ask('What is a feeder pillar?')?.suggestions).toEqual(['Feeder line']);
    expect(ask('What is Mercury?')?.suggestions).toEqual(['Mercury (A planet.)', 'Mercury (A metal.)']);
    expect(ask('What is a zyx?')?.suggestions).toEqual([]);
    expect(ask('define feeders')?.definition).toMatchObject({
      docId: 'terms.ttl',
      title: 'Feeder line',
      text: 'A line that leaves a substation.',
      start: 0,
      end: 32,
    });
    expect(ask('What is Mercury?')).not.toHaveProperty('definition');
  });

  it('does not ask again which meaning is meant once one was chosen', () => {
    const choose = (text: string, more: Partial<LayerInput> = {}) => {
      const [suggested = []] = [
        runLayers(given({ ...query(text), ...more }), settings()).decided?.suggestions,
      ];
      return suggested.map((reading) => {
        const chosen = given({ ...query(`What does "${reading}" mean?`, 'FACT'), ...more });
        const again = runLayers(chosen, settings()).decided;
        return [reading, again?.effect ?? null, again?.definition?.text ?? null];
      });
    };
    expect(choose('What is Mercury?')).toEqual([
      ['Mercury (A planet.)', 'EVIDENCE', 'A planet.'],
      ['Mercury (A metal.)', 'EVIDENCE', 'A metal.'],
    ]);
    const planets = concept('Planets', null);
    const above = { broader: [planets.id], alternatives: ['Hg'] };
    const many = new Vocabulary(
      [
        planets,
        concept('Mercury', `${'Far away. '.repeat(12)}A planet.`, {
          ...above,
          id: 'https://example.org/planet',
        }),
        concept('Mercury', `${'Far away. '.repeat(12)}A probe.`, {
          ...above,
          id: 'https://example.org/probe',
        }),
        concept('Mercury (Metal)', 'Liquid (when warm).', { alternatives: ['Mercury', 'Hg'] }),
        concept('Venus', 'Hot.', { broader: [planets.id], alternatives: ['Star'] }),
        concept('Sun', null, { alternatives: ['Star'] }),
      ],
      {} as VocabularyReport,
    );
    for (const text of ['What is Hg?', 'define Mercury', 'What is a star?']) {
      const readings = choose(text, { vocabulary: many });
      expect(readings.length).toBeGreaterThan(1);
      expect(new Set(readings.map(([reading]) => reading)).size).toBe(readings.length);
      for (const [reading, again, definition] of readings) {
        expect([reading, again]).toEqual([reading, definition === null ? null : 'EVIDENCE']);
      }
    }
    expect(choose('What is a star?', { vocabulary: many })).toEqual([
      ['Venus (Planets)', 'EVIDENCE', 'Hot.'],
      ['Sun (no definition)', null, null],
    ]);
    // A reading that several concepts share is asked about among those, not as an unknown term.
    const shared = given({ ...query('What is mercury (planets)?'), vocabulary: many });
    expect(runLayers(shared, settings()).decided?.reason).toBe('AMBIGUOUS_TERM');
  });

  it('can leave a term to the documents that hold it', () => {
    const unless = { vocabulary: { unknownTerm: 'ask-unless-documented' } };
    expect(told(query('What is an Ostrel bridge?'), unless)).toBe('OPEN');
    expect(told(query('What is a fedder?'), unless)).toBe('vocabulary ASK UNKNOWN_TERM');
    expect(told(query('What is a fedder?'), { vocabulary: { unknownTerm: 'pass' } })).toBe('OPEN');
  });

  it('leaves identifiers to their layer', () => {
    const identifiers = [{ id: 'ADR-0050', known: false, near: [] }];
    expect(told({ ...query('What is ADR-0050?'), identifiers })).toBe(
      'identifierExists ABSTAIN UNKNOWN_IDENTIFIER',
    );
  });
});
