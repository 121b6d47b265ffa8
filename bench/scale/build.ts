/** Generated text as files, and their index. */
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { buildIndex, openIndex } from '../../corpus/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { peakMiB } from '../measure/machine.ts';
import type { RealText } from './real-text.ts';
import { sampleVectors } from './sample.ts';
import { type TextReport, TextStatistics } from './statistics.ts';
import { generatedDocuments } from './text.ts';
import { type Neighbourhood, neighbourhoodOf, vectorOf } from './vectors.ts';

/** Documents of one file. */
const IN_A_FILE = 10_000;

/** Writes so many documents into a folder, which is made anew, and says what their texts are like. */
export async function writeTexts(real: RealText, dir: string, documents: number): Promise<TextReport> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const stream = generatedDocuments(real.documents, 1);
  const statistics = new TextStatistics();
  for (let from = 0; from < documents; from += IN_A_FILE) {
    const lines = function* () {
      for (let i = from; i < Math.min(documents, from + IN_A_FILE); i += 1) {
        const { docId: _id, title, text } = stream.next().value;
        statistics.add(text);
        yield `${JSON.stringify({ _id, title, text })}\n`;
      }
    };
    const file = path.join(dir, `part-${String(from / IN_A_FILE).padStart(4, '0')}.jsonl`);
    await pipeline(Readable.from(lines()), createWriteStream(file));
  }
  return statistics.report();
}

export interface BuiltReport {
  documents: number;
  passages: number;
  /** Terms of the field that holds title and text. */
  terms: number;
  /** Bytes of the folder, by what they hold. */
  bytes: Record<string, number>;
  /** Reading and cutting; postings and whatever else is written; making vectors up, and keeping them. */
  ms: { read: number; write: number; vectors: number };
  /** MiB of the process at most. */
  peakMiB: number;
  vectors: Neighbourhood;
}

/** Builds the index of a folder of texts as the product does, with vectors near those of the sample. Throws what `buildIndex` throws. */
export async function buildGenerated(texts: string, out: string, sample: string): Promise<BuiltReport> {
  await rm(out, { recursive: true, force: true });
  const real = await sampleVectors(sample);
  const scorers = await openScorers({ jobs: ['embed'], threads: 1 });
  try {
    const { name, sha256 } = scorers.info.models.embed!;
    const { ms } = await buildIndex([texts], {
      out,
      embed: async (some) => some.map((text) => vectorOf(real, text)),
      embedder: { name, sha256, dimension: real.dimension },
      countTokens: (text) => scorers.countTokens(text),
    });
    const peak = peakMiB();
    const { manifest, vectors, dimension } = await openIndex(out);
    const bytes: Record<string, number> = {};
    for (const [segment, { bytes: size }] of Object.entries(manifest.segments)) {
      const kind = kindOf(segment);
      bytes[kind] = (bytes[kind] ?? 0) + size;
    }
    return {
      documents: manifest.counts.documents,
      passages: manifest.counts.passages,
      terms: manifest.segments['postings.text.ends']!.bytes / Uint32Array.BYTES_PER_ELEMENT,
      bytes,
      ms: { read: ms.read, write: ms.write, vectors: ms.embed },
      peakMiB: peak,
      vectors: neighbourhoodOf({ values: vectors, dimension }),
    };
  } finally {
    await scorers.close();
  }
}

/** What a segment holds: "postings.text.terms" the lexicon, "vectors.keys" vectors. */
function kindOf(segment: string): string {
  const [first, , part] = segment.split('.');
  return first === 'postings' && ['terms', 'term-ends', 'ends'].includes(part!) ? 'lexicon' : first!;
}
