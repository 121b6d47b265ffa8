/** The file in which a monitor's state is kept between runs. */
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  holderOf,
  isSystemError,
  messageOf,
  PragauraError,
  tryFileLock,
  writeWholeFile,
} from '../../common/index.ts';
import { MonitorState } from './records.ts';

const HINT = 'Name another state file with --state.';

export interface StateFile {
  /** What an earlier run kept; undefined where there was none. */
  readonly kept: MonitorState | undefined;
  save(state: MonitorState): Promise<void>;
  close(): void;
}

/**
 * Opens a state file for this process alone. Throws WRITE_FAILED when another one has it open or it cannot be written,
 * UNREADABLE_DOCUMENT when it is no state of a monitor.
 */
export async function openStateFile(file: string): Promise<StateFile> {
  const release = lock(file);
  try {
    const kept = await read(file);
    return {
      kept,
      save: (state) => writeWholeFile(file, `${JSON.stringify(state)}\n`, HINT),
      close: release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

function lock(file: string): () => void {
  const path = `${file}.lock`;
  let release: ReturnType<typeof tryFileLock>;
  try {
    mkdirSync(dirname(file), { recursive: true });
    release = tryFileLock(path);
  } catch (error) {
    throw new PragauraError('WRITE_FAILED', `${path} cannot be written: ${messageOf(error)}`, {
      hint: HINT,
      cause: error,
    });
  }
  if (release !== null) return release;
  throw new PragauraError('WRITE_FAILED', `The state ${file} is in use by ${holderOf(path)}.`, {
    hint: `Wait until it is done. If no such process runs any more, remove ${path}.`,
  });
}

async function read(file: string): Promise<MonitorState | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw new PragauraError('UNREADABLE_DOCUMENT', `The state ${file} cannot be read: ${messageOf(error)}`, {
      hint: HINT,
      cause: error,
    });
  }
  try {
    return MonitorState.parse(JSON.parse(text));
  } catch (error) {
    throw new PragauraError('UNREADABLE_DOCUMENT', `${file} is no state of this version's monitor.`, {
      hint: HINT,
      cause: error,
    });
  }
}
