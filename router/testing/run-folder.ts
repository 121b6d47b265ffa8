/** A folder for what test files of one run share. Vitest calls this before the run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

export default function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'pragaura-tests-'));
  provide('runFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
