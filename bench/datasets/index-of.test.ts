import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openIndex } from '../../corpus/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { indexOf } from './index-of.ts';

/** What indexing needs of the scorers, without a model: where vectors point does not matter here. */
const embedder = {
  info: { models: { embed: { name: 'none', sha256: '0'.repeat(64) } } },
  embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(1, 0)),
  countTokens: (text: string) => text.split(/\s+/).length,
} as unknown as Scorers;

const document = (docId: string, text: string) => ({ docId, title: '', text, source: 'test' });

it("goes through the product's index, says what had no text, and computes nothing twice", async () => {
  const cache = await mkdtemp(path.join(tmpdir(), 'pragaura-cache-'));
  try {
    const said: string[] = [];
    const set = {
      name: 'set',
      documents: [document('A#0', 'One text.'), document('__proto__', 'Two.'), document('c', '')],
    };
    const dir = await indexOf(set, cache, embedder, (line) => said.push(line));
    const index = await openIndex(dir);
    expect(index.passages.map(({ docId, text }) => [docId, text])).toEqual([
      ['A#0', 'One text.'],
      ['__proto__', 'Two.'],
    ]);
    expect(await indexOf(set, cache, embedder, (line) => said.push(line))).toBe(dir);
    expect(said[0]).toMatch(/2 documents, 2 passages, 1 without text; 2 embedded/);
    expect(said[1]).toContain('0 embedded');
    const other = { ...set, documents: [document('A#0', 'Another text.')] };
    expect(await indexOf(other, cache, embedder, () => {})).not.toBe(dir);
    expect(await readdir(cache)).toHaveLength(2);
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
});
