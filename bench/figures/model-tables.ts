/** Tables of the shipped models, from the figures that training kept beside them. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readJsonFile } from '../measure/json-file.ts';
import { markdownTable, share, withInterval } from '../measure/table.ts';

const Figure = z.object({
  value: z.number(),
  low: z.number().optional(),
  high: z.number().optional(),
  n: z.number(),
  /** The trunk that it began from, on the same rows, and the difference. */
  other: z.object({ value: z.number(), more: z.number(), low: z.number(), high: z.number() }).optional(),
});

/** By set, then by figure; `sha256`: of the weights that were measured. */
const Figures = z.object({
  sha256: z.string(),
  figures: z.record(z.string(), z.record(z.string(), Figure)),
});
type Figures = z.infer<typeof Figures>;

const CARDS = { 'cross-encoder': 'pragaura-cross-encoder', embedder: 'pragaura-embedder' } as const;

/** By the name of the markers; none where the repository at `dir` has no such models. Throws CONFIGURATION for a file that `pragtrain.install` did not write, NOT_FOUND. */
export async function modelTables(dir: string): Promise<Map<string, string>> {
  const tables = new Map<string, string>();
  for (const [name, model] of Object.entries(CARDS)) {
    const folder = `scorers/models/${model}`;
    if (!existsSync(path.join(dir, folder))) continue;
    const shipped = await kept(dir, `${folder}/run/figures.json`);
    const float = await kept(dir, `${folder}/run/float.json`);
    const weights = await readFile(path.join(dir, folder, 'model.int8.onnx'));
    const same = createHash('sha256').update(weights).digest('hex') === shipped.sha256;
    tables.set(
      name,
      [
        table(shipped, float),
        `From \`${folder}/run/figures.json\` and \`float.json\`, weights ${shipped.sha256.slice(0, 12)}.`,
        ...(same ? [] : ['**Made with other weights than ship now.**']),
      ].join('\n\n'),
    );
  }
  return tables;
}

function table(shipped: Figures, float: Figures): string {
  const rows = Object.entries(shipped.figures).flatMap(([set, figures]) =>
    Object.entries(figures).map(([name, figure]) => ({ set, name, figure })),
  );
  const beside = rows.some(({ figure }) => figure.other !== undefined);
  const interval = (low: number | undefined, high: number | undefined) =>
    low === undefined || high === undefined ? null : { low, high };
  return markdownTable(
    ['set', 'figure', 'n', 'int8', 'float', ...(beside ? ['trunk', 'int8 less trunk'] : [])],
    rows.map(({ set, name, figure: { value, low, high, n, other } }) => [
      set,
      name,
      String(n),
      withInterval(value, interval(low, high)),
      share(float.figures[set]?.[name]?.value ?? null),
      ...(beside && other !== undefined
        ? [share(other.value), withInterval(other.more, { low: other.low, high: other.high })]
        : []),
    ]),
  );
}

function kept(dir: string, file: string): Promise<Figures> {
  return readJsonFile(path.join(dir, file), Figures, {
    what: 'file of figures',
    hint: 'Let pragtrain.install write it again.',
  });
}
