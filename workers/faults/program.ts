import { type ChildProcess, spawn } from 'node:child_process';
import { builtFile } from './worker-process.ts';

/** The built command line as a child, which can be killed at any moment. */
export interface Program {
  readonly child: ChildProcess;
  /** The exit code, or the signal that ended it; and what it said on standard error. */
  readonly ended: Promise<{ how: number | NodeJS.Signals; said: string }>;
}

/** `kilobytes`: its files can grow no larger; what it writes beyond that fails, in the middle of a line as well. */
export function startProgram(args: readonly string[], kilobytes?: number): Program {
  const command = [process.execPath, builtFile('main.js'), ...args];
  const child =
    kilobytes === undefined
      ? spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] })
      : spawn('bash', ['-c', `ulimit -f ${kilobytes}; exec "$@"`, 'bash', ...command], {
          stdio: ['ignore', 'ignore', 'pipe'],
        });
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const ended = new Promise<{ how: number | NodeJS.Signals; said: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ how: signal ?? code!, said }));
  });
  return { child, ended };
}
