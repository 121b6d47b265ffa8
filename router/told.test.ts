import { describe, expect, it } from 'vitest';
import type { DecisionInput, Outcome } from './decision/index.ts';
import { decide } from './decision/index.ts';
import { act, provisional } from './decision/testing/cases.ts';
import { LayerSettings } from './layers/index.ts';
import { concept } from './layers/testing/layers.ts';
import { onceAsked } from './told.ts';
import { emptyTrail } from './trail.ts';
import { Vocabulary, type VocabularyReport } from './vocabulary/index.ts';

describe('onceAsked', () => {
  const query = 'What is Mercury?';
  const vocabulary = new Vocabulary(
    [concept('Mercury', 'A planet.'), concept('Mercury', 'A metal.')],
    {} as VocabularyReport,
  );
  const parts = { identifiers: { extract: () => [] }, layers: LayerSettings.parse({}), vocabulary };
  const asking = (...said: string[]): Outcome => {
    const history: DecisionInput['history'] = said.map((text, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      text,
    }));
    const trail = emptyTrail(parts as never, query, history, act('DEFINITION'));
    return onceAsked(decide(trail, provisional), trail);
  };
  const which = asking().clarification!.message;

  it('asks where nobody has, and where something else was asked', () => {
    expect(which).toMatch(/^The vocabulary has several meanings of "Mercury"\. Which one do you mean: /);
    expect(asking('Who?', which).action).toBe('ASK');
    expect(asking(query, 'Which planet do you mean: "Mars" or "Venus"?').action).toBe('ASK');
  });

  it.each(['Mercury', 'mercury', 'the Mercury', 'Ｍercury'])('is silent once asked about "%s"', (spelled) => {
    const { action, clarification, abstention } = asking(query, which.replace('"Mercury"', `"${spelled}"`));
    expect([action, clarification]).toEqual(['ABSTAIN', undefined]);
    expect(abstention).toMatchObject({
      reason: 'AMBIGUOUS_TERM',
      message: 'The vocabulary has several meanings of "Mercury".',
    });
  });
});
