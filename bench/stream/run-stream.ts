import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { PragauraError } from '../../common/index.ts';
import type { LoopDelay } from '../measure/loop-delay.ts';

export interface StreamRun {
  window: number;
  lines: string[];
  /** Milliseconds from starting the process to its first and to its last line. */
  firstMs: number;
  lastMs: number;
  loop: LoopDelay;
  peakMiB: number;
}

/** Pipes the queries through `pragaura route` in a process of its own and takes every line as it comes. */
export async function runStream(
  index: string,
  queries: readonly object[],
  window: number,
): Promise<StreamRun> {
  const start = performance.now();
  const args = [
    '--import',
    new URL('./loop-delay-probe.js', import.meta.url).href,
    process.argv[1]!,
    'route',
  ];
  args.push('--index', index, '--window', String(window));
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] });
  const status = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? String(code)));
  });
  // A child that dies early closes its input: what matters then is its exit code.
  child.stdin!.on('error', () => {});
  child.stdin!.end(queries.map((query) => `${JSON.stringify(query)}\n`).join(''));
  const probe = text(child.stdio[3] as NodeJS.ReadableStream);
  const lines: string[] = [];
  let firstMs = 0;
  for await (const line of createInterface({ input: child.stdout! })) {
    if (lines.length === 0) firstMs = performance.now() - start;
    lines.push(line);
  }
  const lastMs = performance.now() - start;
  const exit = await status;
  if (exit !== '0' || lines.length !== queries.length) {
    throw new PragauraError(
      'INTERNAL',
      `route ended with ${exit} and wrote ${lines.length} lines for ${queries.length} queries.`,
    );
  }
  return {
    window,
    lines,
    firstMs,
    lastMs,
    ...(JSON.parse(await probe) as { loop: LoopDelay; peakMiB: number }),
  };
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let out = '';
  for await (const chunk of stream) out += String(chunk);
  return out;
}
