/** What the detector looks at: the words of a stretch of text and their neighbours, hashed. */
import type { SparseFeatures } from '../acts/index.ts';

/** Number of buckets; a power of two. */
export const BUCKETS = 1 << 15;
/** Words of a stretch that are looked at. */
const MOST_WORDS = 120;
const WORD = /\p{L}[\p{L}\p{M}]*|\p{N}+|[^\s\p{L}\p{N}]/gu;

/**
 * Word 1-, 2- and 3-grams and pairs of words with one between them, punctuation among them, in small letters and with digits as "#", each once; of unit length. A
 * bucket may stand for several. Linear in the text.
 */
export function poisonFeatures(text: string): SparseFeatures {
  const hashes: number[] = [HEAD];
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    hashes.push(hashOf(/^\p{N}/u.test(word) ? '#' : word));
    if (hashes.length > MOST_WORDS) break;
  }
  hashes.push(TAIL);
  const buckets = new Set<number>();
  for (let i = 0; i < hashes.length; i += 1) {
    const [one, two, three] = [hashes[i]!, hashes[i + 1], hashes[i + 2]];
    buckets.add(folded(one));
    if (two === undefined) continue;
    const pair = joined(one, two);
    buckets.add(folded(pair));
    if (three === undefined) continue;
    buckets.add(folded(joined(pair, three)));
    buckets.add(folded(joined(joined(one, GAP), three)));
  }
  const indices = Uint16Array.from(buckets).sort();
  return { indices, values: new Float32Array(indices.length).fill(1 / Math.sqrt(indices.length)) };
}

/** FNV-1a over UTF-16 code units. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i += 1) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash;
}
const HEAD = hashOf('beginning');
const TAIL = hashOf('end');
const GAP = hashOf('gap');

function joined(one: number, other: number): number {
  return Math.imul(Math.imul(one, 0x01000193) ^ other, 0x85ebca6b);
}

function folded(hash: number): number {
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1);
}
