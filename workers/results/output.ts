/** Where results go: standard output, or a file that is cut back to what the cursor knows of. */
import { type FileHandle, open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { failureReason, isSystemError, messageOf, PragauraError } from '../../common/index.ts';

export interface Output {
  /** Length after the last write; null where it has none. */
  readonly bytes: number | null;
  /** Resolves when the text has left this process; false when nobody reads it any more. Throws WRITE_FAILED. */
  write(text: string): Promise<boolean>;
  close(): Promise<void>;
}

export function streamOutput(stream: Writable): Output {
  let gone = false;
  const onGone = () => {
    gone = true;
  };
  stream.on('error', onGone);
  return {
    bytes: null,
    async write(text) {
      if (gone) return false;
      const error = await new Promise<Error | null | undefined>((resolve) => stream.write(text, resolve));
      if (error == null) return true;
      if (isSystemError(error, 'EPIPE', 'ECONNRESET') || stream.destroyed) return false;
      throw new PragauraError('WRITE_FAILED', `The output cannot be written: ${messageOf(error)}`, {
        hint: 'Is the disk full?',
        cause: error,
      });
    },
    async close() {
      stream.off('error', onGone);
    },
  };
}

/**
 * A file that holds exactly `bytes` when it is opened; null: that is new. What follows them was written and not noted,
 * and comes again. Throws WRITE_FAILED, and CONFIGURATION when file and cursor do not belong together.
 */
export async function fileOutput(file: string, bytes: number | null): Promise<Output> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'a');
  } catch (error) {
    throw cannotWrite(file, error);
  }
  try {
    const { size } = await handle.stat();
    if (bytes === null ? size > 0 : size < bytes) {
      throw new PragauraError(
        'CONFIGURATION',
        bytes === null
          ? `${file} is there already, and no cursor belongs to it.`
          : `${file} is shorter than its cursor says.`,
        { hint: 'Name another --out, or remove both the file and its cursor to begin anew.' },
      );
    }
    await handle.truncate(bytes ?? 0);
  } catch (error) {
    await handle.close();
    throw PragauraError.isInstance(error) ? error : cannotWrite(file, error);
  }
  let length = bytes ?? 0;
  return {
    get bytes() {
      return length;
    },
    async write(text) {
      try {
        await handle.appendFile(text);
        await handle.datasync();
      } catch (error) {
        throw cannotWrite(file, error);
      }
      length += Buffer.byteLength(text);
      return true;
    },
    close: () => handle.close(),
  };
}

function cannotWrite(file: string, error: unknown): PragauraError {
  const why = failureReason(error);
  return new PragauraError('WRITE_FAILED', `${file} cannot be written: ${why}.`, {
    hint: 'Nothing is lost: results stay in Redis, and the same command goes on where this one stopped.',
    cause: error,
  });
}
