import { describe, expect, it } from 'vitest';
import { ambiguitySignals } from './ambiguity.ts';
import type { Known } from './record.ts';
import { openTagger } from './tagger.ts';

const tag = openTagger();
const fired = (query: string, known: Known[] = [name]): string[] =>
  Object.entries(ambiguitySignals(query, tag(query), known).signals)
    .filter(([, value]) => value > 0)
    .map(([signal]) => signal);

const name: Known = { text: 'Aldmere', kind: 'name', from: 'query', grounded: true };

describe('the five heuristics', () => {
  it.each([
    ['Who leads the platform team?', []],
    ['Battery life?', ['shortQuery']],
    ['How often is it calibrated?', ['danglingPronoun']],
    ['Where does he live now?', ['danglingPronoun']],
    ['What was her next movie?', ['danglingPronoun']],
    ['What does this say about the plan?', ['danglingPronoun']],
    ['What does this plan say about masts?', []],
    ['When was Beyoncé born and where did she grow up?', []],
    ['How long does it take to charge the battery?', []],
    ['Is it allowed to climb a mast in a thunderstorm?', []],
    ['Is it raining in Aldmere right now?', []],
    ['Is there a van that has four seats?', []],
    ['What do many volunteers think of the panels?', ['vagueQuantifier']],
    ['How many volunteers are there in Aldmere?', []],
    ['How much does the modem cost per month?', []],
    ['Did the driver get some of the money back?', ['vagueQuantifier']],
    ['Is the new modem cheaper?', ['halfComparison']],
    ['How do I make the modem log more detailed?', []],
    ['Is the new modem more reliable?', ['halfComparison']],
    ['Is the new modem cheaper than the old one?', []],
    ['Which sensor is better, the barometer or the rain gauge?', []],
    ['Who is the older brother of Luigi?', []],
    ['Is Lutetia no longer a city?', []],
    ['Can you send more information about Aldmere?', []],
    ['Is it cheaper?', ['shortQuery', 'danglingPronoun', 'halfComparison']],
  ])('%s', (query, signals) => {
    expect(fired(query)).toEqual(signals);
  });

  it('misses a named entity only when the query itself has none', () => {
    expect(fired('Who leads the platform team?', [])).toEqual(['noNamedEntity']);
    expect(fired('Who leads the platform team?', [{ ...name, kind: 'attribute' }])).toEqual([
      'noNamedEntity',
    ]);
    expect(fired('Who leads the platform team?', [{ ...name, from: 'history' }])).toEqual(['noNamedEntity']);
  });

  it('says which words made it fire', () => {
    const query = 'Is it cheaper?';
    expect(ambiguitySignals(query, tag(query), []).because).toEqual(['Is it cheaper', 'it', 'cheaper']);
  });

  it('has an opinion on a query without words', () => {
    expect(fired('', [])).toEqual(['shortQuery', 'noNamedEntity']);
    expect(fired('?!', [])).toContain('shortQuery');
  });
});
