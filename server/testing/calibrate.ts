/** A calibration for tests, made by the commands from questions that `pragaura label` proposes. Tests only. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { integrityOf } from '../../calibration/artifact/schema.ts';
import { programHash } from '../../calibration/observations/key.ts';
import { runCli } from '../../cli/testing/cli.ts';

const HOW = ['--target', 'coverage', '--level', '0.66', '--exchangeable', 'questions', '--scope', 'global'];

/** Writes the artifact to `file`; the built program can use it. */
export async function calibrate(index: string, file: string, args: readonly string[] = []): Promise<void> {
  const labels = `${file}.labels.ndjson`;
  const labelled = await runCli(['label', '--index', index, '--out', labels, '-n', '60', '--accept-all']);
  expect(labelled.code).toBe(0);
  const run = await runCli(['calibrate', '--index', index, '--dev', labels, ...HOW, ...args, '--out', file]);
  expect(run).toMatchObject({ code: 0 });
}

/** The same as if the program of the tests, which runs from its sources, had made it. */
export async function forSources(file: string): Promise<string> {
  const artifact = JSON.parse(readFileSync(file, 'utf8'));
  artifact.createdBy.program = await programHash();
  const own = `${file}.sources.json`;
  writeFileSync(own, JSON.stringify({ ...artifact, integrity: integrityOf(artifact) }));
  return own;
}
