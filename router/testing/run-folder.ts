/** A folder for what test files of one run share. Vitest calls this before the run. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestProject } from 'vitest/node';

export default function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'pragaura-tests-'));
  provide('runFolder', folder);
  const runs = join(folder, 'model-runs');
  mkdirSync(runs);
  process.env.PRAGAURA_TEST_RUNS = runs;
  const { href } = pathToFileURL(
    join(import.meta.dirname, '../../scorers/runtime/testing/remembered-runs.mjs'),
  );
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${href}`;
  return () => rmSync(folder, { recursive: true, force: true });
}
