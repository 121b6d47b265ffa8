#!/usr/bin/env node
/** The front door: runs the command line of this process and ends with its exit code, nothing else. */
import { commandLine } from './command-line.ts';
import { PragauraError } from './common/index.ts';

const line = await commandLine(process.argv.slice(2));

/** A command says of a full disk what it knows; then nothing is left to say for the stream itself. */
let writeFailureSaid = false;

function report(error: unknown): number {
  writeFailureSaid ||= PragauraError.isInstance(error) && error.code === 'WRITE_FAILED';
  return line.report(error);
}

/**
 * Ends with this code, whatever a handler sets later, and even where a failure left threads or sockets behind; what
 * was written has ten seconds to go out, and so have models that are still loading: leaving in the middle of that
 * aborts the process.
 */
function leave(code: number): void {
  process.once('exit', () => {
    process.exitCode = code;
  });
  setTimeout(() => process.exit(), 10_000).unref();
}

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => leave(report(error)));
}

// A reader that has gone is no error; a full disk is.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  const failed = new PragauraError('WRITE_FAILED', `The output cannot be written: ${error.message}`, {
    hint: 'Is the disk full?',
  });
  leave(failed.exitCode);
  process.once('exit', () => {
    if (!writeFailureSaid) report(failed);
  });
});
process.stderr.on('error', () => {});

try {
  await line.run();
} catch (error) {
  leave(report(error));
}
