import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { PragauraError } from '../../common/index.ts';
import { parseYaml } from '../measure/yaml-file.ts';

/** Of a run, a row or a matrix. */
export const Id = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,79}$/, 'an id is of a-z, 0-9, "." and "-"');
const text = z.string().min(1).max(1_000);

/** One step into a result: a field, a place in a list, or the one element of a list that has these fields. */
export const Step = z.union([
  z.string().min(1),
  z.number().int().min(0),
  z.record(z.string(), z.union([z.string(), z.number()])),
]);
export type Step = z.infer<typeof Step>;

/** A figure somebody else printed: for the eye, never compared with. */
const Printed = z.strictObject({ by: text, figure: z.number(), note: text.optional() });

const Row = z
  .strictObject({
    /** What was found is kept under it: a row that comes to measure something else takes another one. */
    id: Id,
    dataset: text,
    /** What the figure is, in words. */
    figure: text,
    /** Where it stands in the result. */
    at: z.array(Step).min(1),
    /** Null: not measured with this version yet, so nothing is claimed. */
    expected: z.number().nullable(),
    /** Largest difference that is OK, and that is OKish; beyond, it is FAIL. */
    ok: z.number().min(0),
    okish: z.number().min(0),
    printed: z.array(Printed).default([]),
    note: text.optional(),
  })
  .refine(({ ok, okish }) => ok <= okish, { path: ['okish'], message: 'okish is less than ok' });
export type Row = z.infer<typeof Row>;

/**
 * Arguments of pragaura; {data} is the data folder, {out} a folder that the run keeps between calls, {shared} one that
 * all runs have in common: an index, what was measured.
 */
const Command = z.array(z.string().min(1)).min(1);

const Run = z.strictObject({
  id: Id,
  /** What has to be done first, in this order: an index, a calibration. */
  before: z.array(Command).default([]),
  command: Command,
  /** A JSON file in {out}, or `stdout`. */
  result: z.union([z.literal('stdout'), z.string().regex(/^[\w.-]+\.json$/)]),
  /** Files under the data folder without which it cannot run. */
  needs: z.array(z.string().min(1)).default([]),
  time: z.enum(['quick', 'long']),
  rows: z.array(Row).min(1),
});
export type Run = z.infer<typeof Run>;

export const Matrix = z
  .strictObject({
    schema: z.literal('pragaura.repro/1'),
    /** Name of the markers between which the table is written. */
    name: Id,
    title: text,
    runs: z.array(Run).min(1),
  })
  .superRefine((matrix, context) => {
    const twice = repeated(idsOf(matrix));
    if (twice !== undefined) context.addIssue({ code: 'custom', message: `the id ${twice} occurs twice` });
  });
export type Matrix = z.infer<typeof Matrix>;

function idsOf({ runs }: { runs: readonly Run[] }): string[] {
  return runs.flatMap((run) => [run.id, ...run.rows.map((row) => row.id)]);
}

function repeated(ids: readonly string[]): string | undefined {
  return ids.find((one, place) => ids.indexOf(one) !== place);
}

/** A matrix from its text. Throws CONFIGURATION, naming `file` and the field. Aliases and unknown keys are refused. */
export function parseMatrix(yaml: string, file: string): Matrix {
  return parseYaml(yaml, file, Matrix);
}

/** The repository's own matrices. */
export function shippedMatrices(): string {
  const root = path.dirname(createRequire(import.meta.url).resolve('pragaura/package.json'));
  return path.join(root, 'bench', 'repro');
}

/** Every matrix (`*.yaml`) of a folder, by file name. Throws NOT_FOUND, or what `parseMatrix` throws. */
export async function loadMatrices(dir: string): Promise<Matrix[]> {
  const files = (await readdir(dir).catch(() => [])).filter((file) => file.endsWith('.yaml')).sort();
  if (files.length === 0) {
    throw new PragauraError('NOT_FOUND', `There is no matrix (*.yaml) in ${dir}.`, {
      hint: 'Name a folder of matrices with --matrix.',
    });
  }
  const matrices = await Promise.all(
    files.map(async (file) => parseMatrix(await readFile(path.join(dir, file), 'utf8'), file)),
  );
  const twice = repeated(matrices.map(({ name }) => name)) ?? repeated(matrices.flatMap(idsOf));
  if (twice === undefined) return matrices;
  throw new PragauraError('CONFIGURATION', `The id ${twice} occurs twice in the matrices of ${dir}.`);
}
