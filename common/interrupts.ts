/** Ctrl-C, once and twice. */
import { EXIT, PragauraError } from './errors.ts';
import { say } from './terminal.ts';

export interface Signals {
  /** Aborted, with a PragauraError ABORTED as its reason, by the first SIGINT or SIGTERM. */
  signal: AbortSignal;
  /** Gives the signals back to whoever had them. */
  dispose(): void;
}

const aborts = new WeakMap<AbortSignal, AbortSignal>();
const LAST_RESORT_MS = 5000;

/** The signal that the second SIGINT aborts, for the `signal` of `installSignals`; undefined for any other. */
export function abortOf(signal: AbortSignal): AbortSignal | undefined {
  return aborts.get(signal);
}

/**
 * First SIGINT or SIGTERM: `signal` is aborted, whoever listens stops reading and finishes. Second: `runRecords`
 * returns at once, and the process has five seconds to close what it opened. After that, or at a third signal, it
 * dies of the signal itself: `process.exit` while an inference thread computes would end in a core dump.
 */
export function installSignals(announce: (message: string) => void = say): Signals {
  const stop = new AbortController();
  const abort = new AbortController();
  aborts.set(stop.signal, abort.signal);
  const leave = () => {
    process.removeAllListeners('SIGINT');
    process.kill(process.pid, 'SIGINT');
  };
  const onSignal = (name: NodeJS.Signals) => {
    if (abort.signal.aborted) leave();
    if (stop.signal.aborted) {
      process.exitCode = EXIT.INTERRUPTED;
      setTimeout(leave, LAST_RESORT_MS).unref();
      abort.abort();
      return;
    }
    stop.abort(new PragauraError('ABORTED', `Interrupted by ${name}.`));
    announce(`${name}: finishing what was begun; once more stops at once.`);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: stop.signal,
    dispose() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}

/** Runs a command's work under `installSignals`, whose signals are given back however it ends. */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  announce?: (message: string) => void,
): Promise<T> {
  const { signal, dispose } = installSignals(announce);
  try {
    return await work(signal);
  } finally {
    dispose();
  }
}
