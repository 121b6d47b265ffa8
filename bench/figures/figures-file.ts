/** What a bench measured, kept in the repository: the tables of the pages are written from it and from nothing else. */
import path from 'node:path';
import { z } from 'zod';
import { writeWholeFile } from '../../common/index.ts';
import { instructionSets } from '../arithmetic/instruction-sets.ts';
import { readJsonFile } from '../measure/json-file.ts';
import { machineLine } from '../measure/machine.ts';

/** When, where and with which models something was measured. */
export const Made = z.strictObject({
  date: z.iso.date(),
  machine: z.string().min(1),
  /** NAME@SHA256 of the model of each job: of all that its scores depend on, its weights among it. */
  models: z.record(z.string(), z.string()),
  /** That it took; left out where nobody timed it. */
  seconds: z.number().min(0).optional(),
});
export type Made = z.infer<typeof Made>;

/** sha256 by what it is of. */
export const Hashes = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));

/** This day and this machine. */
export async function madeHere(now: Date = new Date()): Promise<Pick<Made, 'date' | 'machine'>> {
  return {
    date: now.toISOString().slice(0, 10),
    machine: [machineLine(), ...(await instructionSets())].join(', '),
  };
}

const FiguresFile = z.strictObject({
  schema: z.literal('pragaura.figures/1'),
  /** As a person types it, without folders of one machine. */
  command: z.string().min(1),
  ...Made.shape,
  /** sha256 of each index and of the questions asked. */
  data: Hashes,
  /** What the bench found; its own renderer knows the shape. */
  report: z.unknown(),
});
export type FiguresFile = z.infer<typeof FiguresFile>;

/** Keeps what was measured here and now; `command`: left out, that of this process. Throws WRITE_FAILED. */
export async function keepFigures(
  file: string,
  measured: Pick<FiguresFile, 'models' | 'data' | 'report' | 'seconds'> & { command?: string },
  now: Date = new Date(),
): Promise<void> {
  const kept: FiguresFile = {
    schema: 'pragaura.figures/1',
    command: commandTyped(process.argv.slice(2)),
    ...(await madeHere(now)),
    ...measured,
  };
  await writeWholeFile(file, `${JSON.stringify(kept, null, 1)}\n`, 'Name a file with --figures.');
}

/** Throws NOT_FOUND, and CONFIGURATION for what `keepFigures` did not write. */
export function readFigures(file: string): Promise<FiguresFile> {
  return readJsonFile(file, FiguresFile, {
    what: 'result file',
    hint: 'Measure it again, or put back its last sound version.',
  });
}

/** Options whose values are places on one machine. */
const PLACES = new Set(['--data', '--out', '--cache', '--figures', '--config', '--models-dir']);

/** `pragaura …` without places on this machine. */
export function commandTyped(parts: readonly string[]): string {
  const typed = parts.filter((part, place) => {
    const name = part.split('=', 1)[0]!;
    return !PLACES.has(name) && !PLACES.has(parts[place - 1] ?? '');
  });
  return ['pragaura', ...typed.map((part) => (path.isAbsolute(part) ? path.basename(part) : part))].join(' ');
}
