import { describe, expect, it } from 'vitest';
import type { ScoredPassage } from '../../scorers/index.ts';
import { LayerSettings, planPremises, premisesFrom } from './index.ts';
import { presuppositionOf } from './premise.ts';

it.each<[string, string | null]>([
  ['Why did Tesla invent the telephone?', 'Tesla invented the telephone.'],
  ['When did Germany win the 2022 World Cup?', 'Germany won the 2022 World Cup.'],
  ['Where did Napoleon sign the constitution of Mars?', 'Napoleon signed the constitution of Mars.'],
  ['Why can monkeys operate computers?', 'Monkeys can operate computers.'],
  // Steps, several questions, conditions and broken sentences take nothing for granted that could be denied.
  ['How can I use a fork to write?', null],
  ['Where do I send the report?', null],
  ['How to rename a branch?', null],
  ['How do I list all tags and how do I delete one?', null],
  ['How many days before unreachable objects are pruned by the collector?', null],
  ['Which bases can I use for constants?', null],
  ['What would happen if fish could swim?', null],
  ['Why is a variable that I set inside a loop gone afterwards?', null],
  ['Which file is read?', null],
  ['What do donated genes give evidence of?', null],
  ['When did the war happen?', null],
  ['Where are pyrenoids found?', null],
  ['How does ADR-0012 handle caching?', 'ADR-0012 handles caching.'],
  ['Why was the bridge closed?', 'The bridge was closed.'],
  ['What do cars eat for breakfast?', 'Cars eat something for breakfast.'],
  ['What makes fish walk on land?', 'Something makes fish walk on land.'],
  ['How long are raw observations kept?', 'Raw observations are kept.'],
  ['How many stations does the network have?', 'The network has stations.'],
  ['How much water does a gauge hold?', 'A gauge holds water.'],
  ['How tall is the tower of Pisa?', null],
  ['How old was Tesla when he died?', null],
  ['How high must the mast be?', null],
  ['Did Tesla invent the telephone?', null],
  ['Who is something?', null],
  ['When was the first formal school on record?', null],
  ['How much is the annual membership fee?', null],
  ['caching', null],
  ['', null],
])('%s takes for granted: %s', (query, premise) => {
  expect(presuppositionOf(query)).toBe(premise);
});

const settings = LayerSettings.parse({});
const passage = (key: string, text: string, more: Partial<ScoredPassage> = {}): ScoredPassage => ({
  key,
  docId: key,
  title: 'Nikola Tesla',
  text,
  branches: ['lexical'],
  relevance: { score: 0.9, logit: 2, tokens: 9, truncatedTokens: 0 },
  reading: null,
  ...more,
});
const QUERY = 'Why did Tesla invent the telephone?';
const BELL = 'He met many people. The telephone was invented by Bell, not by him. He died in 1943.';

describe('the pairs for a premise', () => {
  it('hold the sentence that speaks of it most, under its title, against what is taken for granted', () => {
    expect(planPremises(QUERY, [passage('a', BELL)], 2, settings)).toEqual([
      {
        premise: 'Nikola Tesla. The telephone was invented by Bell, not by him.',
        hypothesis: 'Tesla invented the telephone.',
        key: 'a',
        sentence: 'The telephone was invented by Bell, not by him.',
      },
    ]);
  });

  it('are at most as many as granted, one a document, those that share most words first', () => {
    const some = passage('b', 'Tesla worked on a telephone relay.', { title: '' });
    const all = [passage('a', BELL), passage('a2', BELL, { docId: 'a' }), passage('c', BELL), some];
    // It says nothing of the telephone itself.
    const other = passage('d', 'Tesla worked on a relay.', { title: '' });
    const keys = (limit: number) =>
      planPremises(QUERY, [...all, other], limit, settings).map(({ key }) => key);
    expect(keys(3)).toEqual(['a', 'c', 'b']);
    expect(keys(2)).toEqual(['a', 'c']);
    expect(keys(0)).toEqual([]);
  });

  it('leave the title out where the sentence names the subject itself', () => {
    const [pair] = planPremises(QUERY, [passage('a', 'Tesla did not invent the telephone.')], 2, settings);
    expect(pair?.premise).toBe('Tesla did not invent the telephone.');
  });

  it.each<[string, string, ScoredPassage, object]>([
    ['nothing is taken for granted', 'Did Tesla invent the telephone?', passage('a', BELL), {}],
    ['the passage is not relevant', QUERY, passage('a', BELL, { relevance: null }), {}],
    ['no sentence is about it', QUERY, passage('a', 'A mast fell.', { title: 'Masts' }), {}],
    ['the layer is off', QUERY, passage('a', BELL), { falsePremise: { on: false } }],
    ['the subject stands in the title alone', QUERY, passage('a', 'A telephone was invented.'), {}],
    ['the passage is empty', QUERY, passage('a', ''), {}],
  ])('are none where %s', (_, query, given, more) => {
    expect(planPremises(query, [given], 2, LayerSettings.parse(more))).toEqual([]);
  });

  it('give verdicts where they were scored, null where nothing was asked', () => {
    const pairs = planPremises(QUERY, [passage('a', BELL), passage('c', BELL)], 2, settings);
    expect(premisesFrom(pairs, [{ entailment: 0.1, contradiction: 0.8 }, null])).toEqual([
      {
        key: 'a',
        sentence: 'The telephone was invented by Bell, not by him.',
        claim: 'Tesla invented the telephone.',
        entailment: 0.1,
        contradiction: 0.8,
      },
    ]);
    expect(premisesFrom([], [])).toBeNull();
  });
});
