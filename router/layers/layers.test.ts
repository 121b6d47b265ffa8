import { describe, expect, it } from 'vitest';
import type { Evidence } from '../contracts.ts';
import { answersScored, evidence } from '../decision/testing/cases.ts';
import { aboutNamed, EARLY_LAYERS, LAYERS, type LayerInput, LayerSettings, runLayers } from './index.ts';
import { clashing, far, given, query, settings, suspect, told } from './testing/layers.ts';

const unread = (dense: number): Evidence => evidence({}, { dense, relevance: null });
/** Two sections that speak of a limit, and an answer that is not sure. */
const bare = (text: string): Partial<LayerInput> => ({
  query: text,
  answers: answersScored(0.2),
  evidence: ['Uploads', 'Memory'].map((name) =>
    evidence({ title: `Manual > ${name}`, passageId: name, text: `The limit of ${name} is set here.` }),
  ),
});

describe('all layers', () => {
  it('let a sound query through and say so one by one', () => {
    const { decided, record } = runLayers(given(), settings());
    expect(decided).toBeNull();
    expect(record.map(({ layer, state }) => `${layer} ${state}`)).toEqual(
      LAYERS.map((name) => `${name} open`),
    );
  });

  it.each<[string, Partial<LayerInput>]>([
    ['vocabulary', query('What is a fedder?')],
    ['noResults', { evidence: [], answers: null }],
    ['identifierExists', { identifiers: [{ id: 'ADR-0050', known: false, near: ['ADR-0040'] }] }],
    [
      'identifierInEvidence',
      {
        identifiers: [{ id: 'ADR-0012', known: true, near: [] }],
        evidence: [evidence({ title: 'ADR-0013 Caching' })],
      },
    ],
    ['scope', { evidence: [unread(0.1)], coverage: { terms: ['volcano'], unknown: [], known: 1 } }],
    ['underspecified', bare('What is the limit?')],
    ['distance', { evidence: [far(0.1)] }],
    ['coverage', { coverage: { terms: ['volcano'], unknown: ['volcano'], known: 0 } }],
    ['poisoned', { evidence: [], suspects: [suspect()] }],
    [
      'falsePremise',
      {
        premises: [{ key: 'bridge.md#0', sentence: '', claim: '', entailment: 0.1, contradiction: 0.9 }],
        answers: answersScored(0.2),
      },
    ],
    ['contradiction', clashing()],
    ['support', {}],
    ['bands', { confidence: 0.3 }],
  ])('%s decides alone, and not when it is off', (layer, more) => {
    const off = Object.fromEntries(
      LAYERS.filter((name) => name !== layer).map((name) => [name, { on: false }]),
    );
    const alone = runLayers(
      given(more),
      settings({
        ...off,
        ...(layer === 'bands' && { bands: { abstain: true } }),
        ...(layer === 'support' && { support: { sources: 2 } }),
      }),
    );
    expect(alone.decided?.layer).toBe(layer);
    expect(alone.record.filter(({ state }) => state === 'off')).toHaveLength(LAYERS.length - 1);
    const without = runLayers(given(more), settings({ [layer]: { on: false } }));
    expect(without.record.find((each) => each.layer === layer)?.state).toBe('off');
    expect(without.decided?.layer).not.toBe(layer);
  });

  it('refuse for no conflict where a thing is described twice, and say that it is', () => {
    expect(told(clashing())).toContain('contradiction');
    expect(told({ ...clashing(), query: 'What does the Ostrel bridge do?' })).toBe('support CAVEAT');
    expect(told({ ...clashing(), query: 'When was the Ostrel bridge built as opposed to opened?' })).toBe(
      'support CAVEAT',
    );
  });

  it('behind the one that decides are not asked', () => {
    const { record } = runLayers(given({ evidence: [], answers: null }), settings());
    expect(record.map(({ state }) => state)).toEqual([
      'open',
      'open',
      'decided',
      ...Array(LAYERS.length - 3).fill('not_reached'),
    ]);
  });

  it('look at retrieval alone before the models have run, and only where no model could change their word', () => {
    expect(told({ answers: null, report: null, confidence: null })).toBe('OPEN');
    const early = runLayers(given({ evidence: [far(0.1)] }), settings(), EARLY_LAYERS);
    expect(early.decided).toBeNull();
    expect(early.record.filter(({ state }) => state === 'open').map(({ layer }) => layer)).toEqual([
      ...EARLY_LAYERS,
    ]);
  });

  it('refuse settings that they do not know', () => {
    expect(LayerSettings.safeParse({ distanze: {} }).success).toBe(false);
    expect(LayerSettings.safeParse({ distance: { limit: Number.NaN } }).success).toBe(false);
  });
});

describe('distance and scope', () => {
  const near = { coverage: { terms: ['ostrel'], unknown: [], known: 1 } };
  it.each<[string, Partial<LayerInput>, object, string]>([
    ['at the limit', { evidence: [far(0.5)] }, {}, 'OPEN'],
    ['beyond it', { evidence: [far(0.49), far(0.2)] }, {}, 'distance ABSTAIN TOO_DISTANT'],
    ['one passage near enough', { evidence: [far(0.2), far(0.6)] }, {}, 'OPEN'],
    ['without any cosine', { evidence: [far(null)] }, {}, 'OPEN'],
    [
      'far from an entry of what is asked about',
      { evidence: [far(0.2)], entries: [{ name: 'Options' }] },
      {},
      'OPEN',
    ],
    [
      'each collection by its own limit',
      { evidence: [far(0.45, 'wiki/a.md'), far(0.45, 'faq/b.md')] },
      { collections: { faq: { distance: 0.6 } } },
      'OPEN',
    ],
    [
      'a stricter collection',
      { evidence: [far(0.55, 'wiki/a.md')] },
      { collections: { wiki: { distance: 0.4 } } },
      'distance ABSTAIN TOO_DISTANT',
    ],
    ['a collection called __proto__', { evidence: [far(0.55, '__proto__/a.md')] }, {}, 'OPEN'],
    [
      'far and without most of the words',
      { evidence: [unread(0.55)], coverage: { terms: ['ostrel', 'volcano', 'lava'], unknown: [], known: 1 } },
      {},
      'scope ABSTAIN OUT_OF_SCOPE',
    ],
    [
      'far, and held relevant',
      { evidence: [far(0.55)], coverage: { terms: ['ostrel', 'volcano', 'lava'], unknown: [], known: 1 } },
      {},
      'OPEN',
    ],
    ['far with the words', { evidence: [far(0.55)], ...near }, {}, 'OPEN'],
    [
      'near without the words',
      { evidence: [far(0.7)], coverage: { terms: ['volcano'], unknown: [], known: 1 } },
      {},
      'coverage ABSTAIN TERMS_NOT_COVERED',
    ],
  ])('%s', (_, more, changed, expected) => {
    expect(told(more, changed)).toBe(expected);
  });
});

describe('identifiers', () => {
  const asked = { identifiers: [{ id: 'ADR-0012', known: true, near: [] }] };
  it.each<[string, Partial<Evidence>, string]>([
    ['named in the title', { title: 'ADR-0012 Caching' }, 'OPEN'],
    ['named in the text', { text: `${evidence().text} See ADR-0012.` }, 'OPEN'],
    ['the file of the record', { docId: 'adr/ADR-0012.md' }, 'OPEN'],
    ['no record named at all', {}, 'OPEN'],
    ['another record', { title: 'ADR-0013' }, 'identifierInEvidence ABSTAIN IDENTIFIER_NOT_IN_EVIDENCE'],
  ])('%s', (_, more, expected) => {
    expect(told({ ...asked, evidence: [evidence(more)] })).toBe(expected);
  });
});

describe('a record that is named', () => {
  it('leaves no other of its kind, and either general branch counts as having found it', () => {
    const titles = ['ADR-0012 Caching', 'ADR-0013 Logs', 'Handbook'];
    const candidates = titles.map((_, ordinal) => ({
      ordinal,
      fused: 0.5,
      lexical: 0.4,
      dense: 0.3,
      branchScores: ordinal === 0 ? { dense: 0.3 } : { lexical: 0.4 },
      genre: 'narrative' as const,
    }));
    const among = (wanted: string[]) =>
      aboutNamed(
        candidates,
        ({ ordinal }) => evidence({ title: titles[ordinal]! }),
        wanted,
        given().identifiersIn,
      );
    expect(among(['ADR-0012']).map(({ ordinal, branchScores }) => [ordinal, branchScores])).toEqual([
      [0, { lexical: 0.4, dense: 0.3 }],
      [2, { lexical: 0.4, dense: 0.3 }],
    ]);
    expect(among([])).toBe(candidates);
  });

  it.each<[string, string[], string[], number[]]>([
    [
      'a version, by headings, whatever other version the text speaks of',
      ['Changelog > 2.4.1', 'Changelog > 2.4.0', 'Manual > 3. Installation'],
      ['Fixes the crash that came with version 2.4.0.', 'Adds dark mode.', 'Run it.'],
      [0, 2],
    ],
    [
      'a section, by headings above and below it',
      ['Terms > 12.3 Late payment', 'Terms > 13.1 Notices', 'Terms > 12. Payment', 'Handbook'],
      ['Subject to section 4, 2 % a month.', 'In writing.', 'See below.', 'As section 12.3 says.'],
      [0, 2, 3],
    ],
  ])('is %s', (_, titles, texts, kept) => {
    const wanted = titles[0] === 'Changelog > 2.4.1' ? 'version 2.4.1' : 'section 12.3';
    const candidates = titles.map((_title, ordinal) => ({ ordinal, branchScores: {} }) as never);
    const found = aboutNamed(
      candidates,
      ({ ordinal }) => evidence({ title: titles[ordinal]!, text: texts[ordinal]! }),
      [wanted],
      (text) => [...text.matchAll(/\b(?:section|version) [\d.]*\d/g)].map(([id]) => id),
    );
    expect(found.map(({ ordinal }) => ordinal)).toEqual(kept);
  });
});

describe('confidence bands', () => {
  it.each<[number | null, object, string]>([
    [0.76, {}, 'OPEN'],
    [0.75, {}, 'bands CAVEAT'],
    [0.3, {}, 'bands CAVEAT'],
    [0.3, { bands: { abstain: true } }, 'bands ABSTAIN LOW_CONFIDENCE'],
    [0.6, { bands: { abstain: true } }, 'bands CAVEAT'],
    [0.9, { collections: { 'bridge.md': { high: 0.95 } } }, 'bands CAVEAT'],
    [null, { bands: { abstain: true } }, 'OPEN'],
  ])('%s with %j: %s', (confidence, changed, expected) => {
    expect(told({ confidence }, changed)).toBe(expected);
  });

  it('name the weakest side', () => {
    const caveat = (D: number, C: number, E: number) =>
      runLayers(given({ confidence: 0.7, report: { ...given().report!, D, C, E } }), settings()).record.at(-1)
        ?.finding?.message;
    expect(caveat(0.8, 0.1, 0.9)).toContain('ways of searching');
    expect(caveat(0.1, 0.3, 0.9)).toContain('source');
    expect(caveat(0.1, 0.1, 0.4)).toContain('so many words');
  });
});
