import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { isSystemError } from '../../common/index.ts';

/**
 * Groundings that an interrupted build had worked out: a line that says what they belong to, then one JSON array a
 * line, in the order of the edges. A line that was cut off or is none is where the build goes on.
 */
export class ProgressFile {
  readonly done: readonly number[];
  readonly #handle: FileHandle;
  readonly #file: string;

  private constructor(file: string, handle: FileHandle, done: readonly number[]) {
    this.#file = file;
    this.#handle = handle;
    this.done = done;
  }

  /** `identity`: everything that the numbers depend on; what belongs to anything else is thrown away. */
  static async open(file: string, identity: unknown): Promise<ProgressFile> {
    const head = `${createHash('sha256').update(JSON.stringify(identity)).digest('hex')}\n`;
    const before = await readFile(file, 'utf8').catch((error) => {
      if (isSystemError(error, 'ENOENT')) return '';
      throw error;
    });
    let kept = before.startsWith(head) ? head : '';
    const done: number[] = [];
    if (kept !== '') {
      for (const line of before.slice(head.length).split('\n').slice(0, -1)) {
        const numbers = numbersIn(line);
        if (numbers === null) break;
        done.push(...numbers);
        kept += `${line}\n`;
      }
    }
    const handle = await open(file, 'w');
    await handle.write(kept === '' ? head : kept);
    return new ProgressFile(file, handle, done);
  }

  async add(numbers: readonly number[]): Promise<void> {
    await this.#handle.write(`${JSON.stringify(numbers)}\n`);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** The build is done: nothing to go on with. */
  async finish(): Promise<void> {
    await this.#handle.close();
    await rm(this.#file, { force: true });
  }
}

function numbersIn(line: string): number[] | null {
  try {
    const value: unknown = JSON.parse(line);
    const fits =
      Array.isArray(value) && value.every((each) => typeof each === 'number' && Number.isFinite(each));
    return fits ? (value as number[]) : null;
  } catch {
    return null;
  }
}
