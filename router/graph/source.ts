/** What a graph was made of, beside it: enough to make it again when documents change, without looking at all of them. */
import { join } from 'node:path';
import { z } from 'zod';
import { GRAPH_SOURCE, type Passage } from '../../corpus/index.ts';
import { ACTIONS } from '../contracts.ts';
import { triplesIn } from './extract.ts';
import { readHashed, sha256, writeHashed } from './hashed-file.ts';
import { Triple } from './types.ts';

/** Whatever changes the triples of a passage gets another number. */
const EXTRACTION = 2;
const SCHEMA = 'pragaura.graph-source/1';

const Settings = z.strictObject({
  maxEdges: z.number().int().min(1),
  minSem: z.number().min(0).max(1),
  labelled: z.array(
    z.strictObject({
      query: z.string(),
      action: z.enum(ACTIONS),
      passages: z.array(z.string()).optional(),
      missing: z.array(z.string()).optional(),
    }),
  ),
});
/** What somebody wanted of a graph. */
export type GraphSettings = z.infer<typeof Settings>;
/**
 * A query whose right action is known; `passages`: ids of passages, or of documents, that it is about, where that is known;
 * `missing`: of an ASK query, what it lacks and users are to be asked for, in words for them.
 */
export type LabelledQuery = GraphSettings['labelled'][number];

const Header = z.strictObject({
  schema: z.literal(SCHEMA),
  extraction: z.number(),
  /** sha256 of the embedder. */
  embedder: z.string(),
  settings: Settings,
  /** Of the second line, sha256 in hex. */
  sha256: z.string(),
});

const Content = z.strictObject({
  /** By the key of a passage. */
  triples: z.record(z.string(), z.array(Triple)),
  /** By the key of a sentence and a passage. */
  cosines: z.record(z.string(), z.number()),
});

/** Triples and cosines as they are found out, each once; written are those alone that were asked for. */
export class GraphSource {
  readonly settings: GraphSettings;
  readonly #known: z.infer<typeof Content>;
  readonly #used: z.infer<typeof Content> = { triples: {}, cosines: {} };

  constructor(settings: GraphSettings, known: z.infer<typeof Content> = { triples: {}, cosines: {} }) {
    this.settings = settings;
    this.#known = known;
  }

  /** The same knowledge for a graph with other settings. */
  with(settings: GraphSettings): GraphSource {
    return new GraphSource(settings, this.#known);
  }

  triplesOf(passage: Pick<Passage, 'title' | 'text'>): readonly Triple[] {
    const key = hashOf(passage.title, passage.text);
    const found = this.#known.triples[key] ?? triplesIn(passage.text, passage.title);
    this.#used.triples[key] = found;
    return found;
  }

  /** Takes all over for passages whose vectors are still being made: no triple that they do not say, all cosines. */
  carry(passages: readonly Pick<Passage, 'title' | 'text'>[]): void {
    for (const passage of passages) this.triplesOf(passage);
    this.#used.cosines = this.#known.cosines;
  }

  /** Cosine of a sentence to a passage, where it was told before. */
  cosineOf(sentence: string, passage: Pick<Passage, 'title' | 'text'>): number | undefined {
    const key = hashOf(passage.title, passage.text, sentence);
    const found = this.#known.cosines[key];
    if (found !== undefined) this.#used.cosines[key] = found;
    return found;
  }

  tell(sentence: string, passage: Pick<Passage, 'title' | 'text'>, cosine: number): void {
    this.#used.cosines[hashOf(passage.title, passage.text, sentence)] = cosine;
  }

  /** Writes it into a generation's folder. Throws WRITE_FAILED. */
  write(folder: string, embedder: string): Promise<void> {
    const header = { schema: SCHEMA, extraction: EXTRACTION, embedder, settings: this.settings };
    return writeHashed(join(folder, GRAPH_SOURCE), header, this.#used);
  }
}

/**
 * What the graph in a generation's folder was made of; null where there is none. Of another embedder's no cosine is taken,
 * of another extraction's no triple. Throws INDEX_UNUSABLE when it is damaged or of another version.
 */
export async function readSource(folder: string, embedder: string): Promise<GraphSource | null> {
  const read = await readHashed(join(folder, GRAPH_SOURCE), { header: Header, content: Content });
  if (read === null) return null;
  const { header, content } = read;
  return new GraphSource(header.settings, {
    triples: header.extraction === EXTRACTION ? content.triples : {},
    cosines: header.embedder === embedder ? content.cosines : {},
  });
}

const hashOf = (...texts: string[]) => sha256(JSON.stringify(texts)).slice(0, 32);
