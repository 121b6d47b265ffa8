/** What people say of decisions, kept as labelled queries: a development split for `pragaura calibrate`. */
import path from 'node:path';
import { z } from 'zod';
import { documentsForRisk, faultOf, type Labelled, openLabelFile } from '../../calibration/index.ts';
import { PragauraError } from '../../common/index.ts';

const LEVELS = ['0.3', '0.2', '0.1'] as const;

const count = z.number().int().min(0);
export const LabelState = z.strictObject({
  labels: count,
  /** That they are about. */
  documents: count,
  /**
   * Promises of so much risk at most, and the documents that they need at the earliest: those labelled, nothing of them
   * answered wrongly, divided as `calibrate` does.
   */
  promises: z.array(z.strictObject({ risk: z.number(), documents: count })),
});
type LabelState = z.infer<typeof LabelState>;

type LabelFile = Awaited<ReturnType<typeof openLabelFile>>;

/** A file of labels for each collection, `NAME.ndjson` in one folder. */
export class Labels {
  readonly #files: ReadonlyMap<string, LabelFile>;
  /** One after the other: each writes the whole file. */
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(files: ReadonlyMap<string, LabelFile>) {
    this.#files = files;
  }

  /** Opens the files that are there. Throws what `openLabelFile` throws. */
  static async open(dir: string, collections: readonly string[]): Promise<Labels> {
    const files = new Map<string, LabelFile>();
    for (const name of collections) files.set(name, await openLabelFile(path.join(dir, `${name}.ndjson`)));
    return new Labels(files);
  }

  state(collection: string): LabelState {
    const { count: labels, groups } = this.#files.get(collection)!;
    const promises = LEVELS.map((level) => ({ risk: Number(level), documents: documentsForRisk(level) }));
    return { labels, documents: groups, promises };
  }

  /** Keeps a label, in the place of an earlier one of the same id. Throws INVALID_INPUT for one that contradicts itself or names no document, and WRITE_FAILED. */
  async add(collection: string, label: Labelled): Promise<LabelState> {
    const fault = faultOf(label);
    if (fault !== null) throw new PragauraError('INVALID_INPUT', `The label cannot be used: ${fault}.`);
    const written = this.#writing.then(() => this.#files.get(collection)!.add(label));
    this.#writing = written.catch(() => {});
    await written;
    return this.state(collection);
  }
}
