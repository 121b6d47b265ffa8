import { describe, expect, it } from 'vitest';
import type { Example } from '../types.ts';
import { type Asked, differences, idOf, keyOf } from './key.ts';
import { supportOf } from './measure.ts';
import { measuringProgress } from './progress.ts';
import { contextWith } from './testing/observations.ts';

describe('support', () => {
  it.each([
    ['every content word', 'The bridge was closed in 1999.', 'In 1999 the old bridge closed', 1],
    ['none', 'Who is it?', 'whatever', null],
    ['half', 'Bridge, tower.', 'A BRIDGE', 0.5],
    ['accents and compatibility forms', 'Café №1', 'cafe no1', 1],
    ['a negation is a word that counts', 'It is not closed', 'it is closed', 0.5],
    ['each occurrence', 'tower tower bridge', 'tower', 2 / 3],
    ['prototype words', 'constructor __proto__', '', 0],
  ])('%s', (_, claim, passage, support) => {
    expect(supportOf(claim, passage)).toBe(support);
  });
});

describe('keys', () => {
  it('differ with every part of the context and with the query, not with the order of names', () => {
    const context = contextWith();
    const { budget, limits } = context;
    const others = [
      contextWith({ index: 'j' }),
      contextWith({ models: { read: 'reader@2' } }),
      contextWith({ arithmetic: 'saturating' }),
      contextWith({ profiles: 'q' }),
      contextWith({ policy: 'uniform' }),
      contextWith({ budget: { ...budget, nliPairs: 23 } }),
      contextWith({ limits: { ...limits, verification: 1 } }),
      contextWith({ program: 'd' }),
    ];
    expect(others.map((other) => differences(context, other))).toEqual([
      ['another index'],
      ['other models'],
      ['another arithmetic'],
      ['other profiles'],
      ['another policy'],
      ['another budget'],
      ['other limits'],
      ['another version of the program'],
    ]);
    const ids = [context, ...others].map(idOf);
    expect(new Set(ids).size).toBe(9);
    expect(idOf(Object.fromEntries(Object.entries(context).reverse()))).toBe(ids[0]);
    expect(keyOf(ids[0]!, { query: 'a' })).not.toBe(keyOf(ids[0]!, { query: 'a ' }));
    expect(keyOf(ids[0]!, { query: 'a' }).startsWith(`${ids[0]}-`)).toBe(true);
  });

  it('differ with history, filters and conditions, and not with what the router does not see', () => {
    const key = (more: Partial<Asked> & Partial<Example>) =>
      keyOf('context', { query: 'And in winter?', ...more });
    const turns: Asked['history'] = [
      { role: 'user', text: 'When is the bridge open?' },
      { role: 'assistant', text: 'From six.' },
    ];
    const keys = [
      {},
      { history: turns },
      { history: turns.toReversed() },
      { history: turns.slice(0, 1) },
      { filters: { docId: ['bridge.md'] } },
      { filters: { docId: ['tower.md'] } },
      { filters: { source: ['bridge.md'] } },
      { conditions: { role: 'clerk' } },
      { conditions: { role: 'guest' } },
      { history: turns, filters: { docId: ['bridge.md'] } },
    ].map(key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(key({ history: [] })).toBe(key({}));
    expect(key({ id: 'x', answers: ['seven'], group: 'g' })).toBe(key({}));
  });
});

describe('progress', () => {
  function drawn(isTTY: boolean): string {
    let now = 0;
    let text = '';
    const stream = { isTTY, columns: 80, write: (part: string) => (text += part) };
    const bar = measuringProgress(1_000, { stream, now: () => now });
    for (let i = 0; i < 100; i++) {
      now += 250;
      bar.step();
    }
    bar.end();
    return text;
  }

  it('shows rate and time left on a terminal', () => {
    expect(drawn(true)).toContain('measuring 100/1000 4.0/s, 4 min left');
  });

  it('shows nothing elsewhere', () => {
    expect(drawn(false)).toBe('');
  });
});
