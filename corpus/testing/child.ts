/** Builds an index in a process of its own, so that it can be killed or starved. Tests only; `npm test` builds first. */
import { spawn } from 'node:child_process';

const ROOM = new URL('../../dist/corpus/index.js', import.meta.url).href;

/** The same embedder as `vectorFor`, in words that the child understands; each batch takes a while. */
const SCRIPT = `
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildIndex } from ${JSON.stringify(ROOM)};
const [docs, out, pause] = process.argv.slice(1);
const vectorFor = (text) => {
  const digest = createHash('sha256').update(text).digest();
  const vector = Float32Array.from({ length: 8 }, (_, i) => digest[i] - 127.5);
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
};
const controller = new AbortController();
process.on('SIGINT', () => controller.abort());
let stage;
try {
  const report = await buildIndex([docs], {
    out,
    embed: async (texts) => { await sleep(Number(pause)); return texts.map(vectorFor); },
    embedder: { name: 'by-hash', sha256: 'e'.repeat(64), dimension: 8 },
    countTokens: (text) => text.match(/[\\p{L}\\p{N}]+|[^\\s\\p{L}\\p{N}]/gu)?.length ?? 0,
    onProgress: (state) => {
      if (state.stage !== stage || state.stage === 'embed') console.log(state.stage + ' ' + state.done);
      stage = state.stage;
    },
    signal: controller.signal,
  });
  console.log('report ' + JSON.stringify(report));
} catch (error) {
  console.log('error ' + JSON.stringify({ code: error.code, message: error.message }));
}
`;

export interface ChildResult {
  lines: string[];
  signal: NodeJS.Signals | null;
  /** What the build threw. */
  error: { code: string; message: string } | null;
}

/**
 * Runs `buildIndex` on a folder. `onLine` is told of each stage ("read 1", "embed 256", "write 0") and may kill the
 * child. `fileBlocks` limits every file that it writes to so many kilobytes.
 */
export function buildInChild(
  docs: string,
  out: string,
  options: {
    pause?: number;
    fileBlocks?: number;
    onLine?: (line: string, kill: (signal: NodeJS.Signals) => void) => void;
  } = {},
): Promise<ChildResult> {
  const node = [process.execPath, '--input-type=module', '-e', SCRIPT, docs, out, String(options.pause ?? 0)];
  const limited = ['bash', '-c', `ulimit -f ${options.fileBlocks}; exec "$@"`, 'bash', ...node];
  const [command, ...args] = options.fileBlocks === undefined ? node : limited;
  const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    for (const line of parts) {
      lines.push(line);
      options.onLine?.(line, (signal) => child.kill(signal));
    }
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (_, signal) => {
      const failed = lines.find((line) => line.startsWith('error '));
      resolve({ lines, signal, error: failed === undefined ? null : JSON.parse(failed.slice(6)) });
    });
  });
}
