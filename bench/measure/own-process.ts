import { spawn } from 'node:child_process';
import { PragauraError } from '../../common/index.ts';

export interface ProcessRun {
  output: string;
  /** Milliseconds from the start to the first byte on standard output, and to the end. */
  firstMs: number | null;
  endMs: number;
}

/**
 * This very program with other arguments, in a process of its own: figures for memory and start-up are then the
 * command's own. Throws INTERNAL when it does not end with 0.
 */
export async function runOwn(args: readonly string[], nodeArgs: readonly string[] = []): Promise<ProcessRun> {
  const start = performance.now();
  const child = spawn(process.execPath, [...nodeArgs, process.argv[1]!, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  let firstMs: number | null = null;
  child.stdout.on('data', (chunk: Buffer) => {
    firstMs ??= performance.now() - start;
    chunks.push(chunk);
  });
  const status = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? String(code)));
  });
  if (status !== '0') throw new PragauraError('INTERNAL', `pragaura ${args.join(' ')} ended with ${status}.`);
  return { output: Buffer.concat(chunks).toString('utf8'), firstMs, endMs: performance.now() - start };
}
