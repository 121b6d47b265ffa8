import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, PragauraError } from '../../common/index.ts';

/**
 * Results of single queries, one JSON object a line, appended as they come: a run that was broken off goes on
 * where it stopped. The file's name holds a hash of everything that the results depend on, so that results of
 * two versions never meet in one file.
 */
export class ResultsFile<T extends { id: string }> {
  readonly file: string;
  readonly #records: Map<string, T>;
  readonly #handle: FileHandle;

  private constructor(file: string, records: Map<string, T>, handle: FileHandle) {
    this.file = file;
    this.#records = records;
    this.#handle = handle;
  }

  /**
   * Opens `dir/name-<hash of versions>.ndjson`. A last line that was cut off is dropped from the file.
   * Throws WRITE_FAILED, or UNREADABLE_DOCUMENT for a line in the middle that is no record.
   */
  static async open<T extends { id: string }>(
    dir: string,
    name: string,
    versions: object,
  ): Promise<ResultsFile<T>> {
    const key = createHash('sha256').update(JSON.stringify(versions)).digest('hex').slice(0, 12);
    const file = path.join(dir, `${name}-${key}.ndjson`);
    let handle: FileHandle | undefined;
    try {
      await mkdir(dir, { recursive: true });
      handle = await open(file, 'a+');
      const text = await readFile(file, 'utf8');
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      if (whole !== text) await handle.truncate(Buffer.byteLength(whole));
      return new ResultsFile(file, parseRecords<T>(whole, file), handle);
    } catch (error) {
      await handle?.close();
      if (PragauraError.isInstance(error)) throw error;
      throw new PragauraError('WRITE_FAILED', `${file} cannot be written: ${messageOf(error)}`, {
        hint: 'Name a folder for results with --out.',
        cause: error,
      });
    }
  }

  get(id: string): T | undefined {
    return this.#records.get(id);
  }

  async add(record: T): Promise<void> {
    await this.#handle.appendFile(`${JSON.stringify(record)}\n`);
    this.#records.set(record.id, record);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

function parseRecords<T extends { id: string }>(text: string, file: string): Map<string, T> {
  const records = new Map<string, T>();
  for (const [place, line] of text.split('\n').entries()) {
    if (line === '') continue;
    try {
      const record = JSON.parse(line) as T;
      records.set(record.id, record);
    } catch (error) {
      throw new PragauraError('UNREADABLE_DOCUMENT', `${file}, line ${place + 1} is no result.`, {
        hint: 'Delete the file; its queries are then run again.',
        cause: error,
      });
    }
  }
  return records;
}
