import { PragauraError } from '../../common/index.ts';
import type { Matrix } from './matrix.ts';

/** `*` stands for any text, `?` for one character. */
function matcher(glob: string): (text: string) => boolean {
  const pattern = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  const expression = new RegExp(`^${pattern}$`, 's');
  return (text) => expression.test(text);
}

/**
 * The part of the matrices that `only` names: a list of globs, separated by commas, over ids of rows and runs, names
 * of matrices and data sets, and "quick" and "long". Undefined: everything. Throws USAGE for a glob that fits nothing.
 */
export function selectRows(matrices: readonly Matrix[], only: string | undefined): Matrix[] {
  if (only === undefined) return [...matrices];
  const globs = only
    .split(',')
    .map((glob) => ({ glob: glob.trim(), fits: matcher(glob.trim()), used: false }));
  const selected = matrices.map((matrix) => ({
    ...matrix,
    runs: matrix.runs.flatMap((run) => {
      const rows = run.rows.filter((row) => {
        const names = [matrix.name, run.id, run.time, row.id, row.dataset];
        const fitting = globs.filter(({ fits }) => names.some(fits));
        for (const one of fitting) one.used = true;
        return fitting.length > 0;
      });
      return rows.length > 0 ? [{ ...run, rows }] : [];
    }),
  }));
  const unused = globs.find(({ used }) => !used);
  if (unused === undefined) return selected.filter(({ runs }) => runs.length > 0);
  throw new PragauraError('USAGE', `"${unused.glob}" fits no row of the matrix.`, {
    hint: '"pragaura repro --list" shows rows, runs and data sets; "quick" and "long" are understood too.',
  });
}
