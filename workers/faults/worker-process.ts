import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { builtFile } from '../../common/index.ts';
import type { LightWorkerSettings } from './light-worker.ts';

/** A worker in a process of its own, which can be treated badly. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Whether it has ended. */
  readonly ended: boolean;
  /** The lines that it wrote to standard output so far. */
  readonly lines: readonly string[];
  /** Resolves with the exit code, or with the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

/** Starts a program of Node and resolves once `ready` is on its standard output or error; rejects when it ends before. */
export function startProcess(
  args: readonly string[],
  ready: (line: string) => boolean,
  env: NodeJS.ProcessEnv = {},
): Promise<WorkerProcess> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  });
  // For those who ask something of it; it must not keep this process alive.
  child.channel?.unref();
  const lines: string[] = [];
  const errors: string[] = [];
  let ended = false;
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => {
      ended = true;
      resolve(signal ?? code!);
    });
  });
  return new Promise((resolve, reject) => {
    const own: WorkerProcess = {
      child,
      pid: child.pid!,
      get ended() {
        return ended;
      },
      lines,
      exited,
    };
    child.once('error', reject);
    void exited.then((how) =>
      reject(new Error(`${args[0]} ended with ${how}: ${errors.slice(-5).join('\n')}`)),
    );
    createInterface({ input: child.stdout! }).on('line', (line) => {
      lines.push(line);
      if (ready(line)) resolve(own);
    });
    createInterface({ input: child.stderr! }).on('line', (line) => {
      errors.push(line);
      if (errors.length > 100) errors.shift();
      if (ready(line)) resolve(own);
    });
  });
}

/** A light worker that takes jobs up by the time this resolves. */
export function startLightWorker(settings: LightWorkerSettings): Promise<WorkerProcess> {
  const file = builtFile('workers/faults/light-worker.js');
  return startProcess([file, JSON.stringify(settings)], (line) => line === 'ready');
}

/** Ends a process by SIGKILL, also one that is stopped. */
export async function kill(own: WorkerProcess): Promise<void> {
  own.child.kill('SIGKILL');
  await own.exited;
}
