import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, PragauraError } from '../../common/index.ts';
import type { IndexReport } from '../../corpus/index.ts';
import { machineLine } from '../measure/machine.ts';
import { type IndexingRun, renderIndexing } from './render.ts';

export interface IndexingOptions {
  /** Folders and files to index. */
  pages: readonly string[];
  /** Folder of another build of the program (its `dist/main.js` is run), which is measured first. */
  before?: string | undefined;
  /** What is asked by words as soon as there is an index. */
  query: string;
  threads?: number | undefined;
  /** This program. */
  main: string;
}

/** How often is looked whether there is an index yet. */
const LOOK_MS = 20;

/** Indexes the pages into a new folder, by another build and by this one, and asks by words as soon as that can be. */
export async function benchIndexing(options: IndexingOptions, say: (line: string) => void): Promise<string> {
  const programs = [{ name: 'this build', main: options.main }];
  if (options.before !== undefined) {
    programs.unshift({ name: 'before', main: path.join(options.before, 'dist', 'main.js') });
  }
  const runs: IndexingRun[] = [];
  for (const { name, main } of programs) {
    say(`${name}: indexing`);
    runs.push(await indexed(name, main, options));
  }
  return `${machineLine()}\n\n${renderIndexing(runs)}`;
}

async function indexed(
  program: string,
  main: string,
  { pages, query, threads }: IndexingOptions,
): Promise<IndexingRun> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-bench-'));
  const out = path.join(folder, 'index');
  try {
    const started = performance.now();
    const more = threads === undefined ? [] : ['--threads', String(threads)];
    let totalMs: number | null = null;
    const building = ended(main, ['index', ...pages, '--out', out, '--json', ...more]).finally(() => {
      totalMs = performance.now() - started;
    });
    try {
      while (totalMs === null && !existsSync(path.join(out, 'CURRENT'))) await sleep(LOOK_MS);
      if (totalMs !== null) await building;
      const asked = ['retrieve', '--index', out, '--branch', 'lexical', '--k', '5'];
      const answer = await ended(main, asked, `${JSON.stringify({ id: 'q', query })}\n`);
      const answeredMs = performance.now() - started;
      if (answer.trim() === '') {
        throw new PragauraError('USAGE', `By words nothing was found for "${query}".`, {
          hint: 'Say --query with words that the pages have.',
        });
      }
      const report = JSON.parse(await building) as IndexReport;
      return { program, report, totalMs: totalMs!, answeredMs, vectors: vectorsOf(out) };
    } finally {
      // It writes into the folder that is taken away.
      await building.catch(() => {});
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** sha256 of the vectors of an index. */
function vectorsOf(out: string): string {
  const generation = readFileSync(path.join(out, 'CURRENT'), 'utf8').trim().split(' ')[1]!;
  const manifest = JSON.parse(readFileSync(path.join(out, generation, 'manifest.json'), 'utf8'));
  return manifest.segments.vectors.sha256;
}

/** What a program says on standard output. Throws INTERNAL when it ends otherwise than with 0, or with 65: bad files. */
async function ended(main: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.on('error', () => {}); // It ended without reading.
  child.stdin.end(input);
  const status = await new Promise<string>((resolve, reject) => {
    child.once('error', (error) => reject(new PragauraError('INTERNAL', messageOf(error), { cause: error })));
    child.once('close', (code, signal) => resolve(signal ?? String(code)));
  });
  if (status !== '0' && status !== '65') {
    throw new PragauraError('INTERNAL', `pragaura ${args[0]} (${main}) ended with ${status}.`);
  }
  return Buffer.concat(chunks).toString('utf8');
}
