import { EXIT, toLine } from '../../common/index.ts';
import { modelNames } from '../../scorers/index.ts';
import { madeHere } from '../figures/figures-file.ts';
import { pagesOf, updatePages } from '../figures/markers.ts';
import { type Shipped, shippedModels } from '../figures/shipped.ts';
import { type ExecuteOptions, execute, gapOf, type Outcome } from './execute.ts';
import { loadMatrices, type Matrix, type Row, type Run } from './matrix.ts';
import { type Judged, renderMarkdown, renderTable } from './render.ts';
import { type Kept, mergeResults, type Result, type Results, readResults } from './results.ts';
import { selectRows } from './select.ts';
import { figureAt, verdictOf } from './verdict.ts';

export interface ReproOptions extends ExecuteOptions {
  /** Folder of matrices. */
  matrix: string;
  only: string | undefined;
  /** Say what there is, run nothing. */
  list: boolean;
  json: boolean;
  /** Folder of the pages whose tables are written, from what is kept beside the matrices; null: neither is. */
  update: string | null;
}

/** Runs the rows asked for and gives what goes to standard output, and the exit code. */
export async function runRepro(options: ReproOptions): Promise<{ text: string; exitCode: number }> {
  const all = await loadMatrices(options.matrix);
  const selected = selectRows(all, options.only);
  if (options.list) {
    if (options.update !== null) await update(all, selected, new Map(), options);
    return { text: listed(selected, options.json), exitCode: EXIT.OK };
  }
  // Before hours of measuring, not after them.
  if (options.update !== null) {
    const names = selected.map(({ name }) => name);
    await pagesOf(names, options.update);
    for (const name of names) await readResults(options.matrix, name);
  }

  const outcomes = new Map<string, Outcome>();
  // What is quick says first whether anything is wrong.
  const runs = selected
    .flatMap((matrix) => matrix.runs)
    .sort((a, b) => Number(a.time === 'long') - Number(b.time === 'long'));
  for (const run of runs) outcomes.set(run.id, await execute(run, options));

  const judged = selected.flatMap((matrix) =>
    matrix.runs.flatMap((run) => judgeRun(run, outcomes.get(run.id)!)),
  );
  const interrupted = [...outcomes.values()].some(({ kind }) => kind === 'interrupted');
  if (options.update !== null && !interrupted) await update(all, selected, outcomes, options);
  const text = options.json ? judged.map(record).join('') : `${renderTable(judged)}\n\n${summary(judged)}\n`;
  return { text, exitCode: interrupted ? EXIT.INTERRUPTED : exitCodeOf(judged) };
}

/** By row; nothing of a run that did not come about. */
function resultsOf(run: Run, outcome: Outcome | undefined): Results {
  if (outcome?.kind !== 'done' && outcome?.kind !== 'failed') return new Map();
  return new Map(
    run.rows.map(({ id, at }) => {
      if (outcome.kind === 'failed') return [id, { found: null, why: outcome.why }];
      const found = figureAt(outcome.result, at);
      return [id, found === null ? { found, why: 'the result lacks it' } : { found }];
    }),
  );
}

function judgeRun(run: Run, outcome: Outcome): Judged[] {
  const results = resultsOf(run, outcome);
  const missing = outcome.kind === 'missing' || outcome.kind === 'foreign';
  return run.rows.map((row) => {
    const result = results.get(row.id);
    if (result !== undefined) return judge(row, result);
    return { row, found: null, verdict: missing ? 'MISSING' : null, why: gapOf(outcome) };
  });
}

/** A row with what is kept of it. */
export function judge(row: Row, result: Result | undefined): Judged {
  if (result === undefined) return { row, found: null, verdict: null, why: null };
  const { found, why = null } = result;
  return { row, found, verdict: verdictOf(row, found), why };
}

function exitCodeOf(judged: readonly Judged[]): number {
  const some = (verdict: Judged['verdict']) => judged.some((one) => one.verdict === verdict);
  if (some('FAIL')) return EXIT.FAILED;
  return some('MISSING') ? EXIT.NO_INPUT : EXIT.OK;
}

/**
 * Keeps beside the matrix what was found of its runs, with the day, the machine, the models and the data. Gives all that is
 * then kept, and the file, unless it held the same before. Throws what `mergeResults` throws.
 */
export async function keepOutcomes(
  dir: string,
  matrix: Matrix,
  outcomes: ReadonlyMap<string, Outcome>,
  shipped: Shipped,
): Promise<{ kept: Kept; written: string[] }> {
  const here = { ...(await madeHere()), models: modelNames(shipped) };
  const before = await readResults(dir, matrix.name);
  // A run that was run for one row found all of them.
  const found = matrix.runs.map((run) => {
    const outcome = outcomes.get(run.id);
    const rows = resultsOf(run, outcome);
    const timed =
      outcome?.kind === 'done' ? { seconds: Math.round(outcome.seconds), data: outcome.data } : {};
    // What was run before, and is kept already, is not of today.
    const known =
      outcome?.kind === 'done' &&
      outcome.earlier &&
      run.rows.every(({ id }) => before.rows.get(id)?.found === rows.get(id)?.found);
    const made = (known ? before.runs.get(run.id) : undefined) ?? { ...here, ...timed };
    return { id: run.id, rows, made };
  });
  return mergeResults(dir, matrix, {
    rows: new Map(found.flatMap(({ rows }) => [...rows])),
    runs: new Map(found.flatMap(({ id, rows, made }) => (rows.size === 0 ? [] : [[id, made]]))),
  });
}

/** Keeps what was found and writes whole tables, with what was found earlier of the rows that were not run now. */
async function update(
  all: readonly Matrix[],
  selected: readonly Matrix[],
  outcomes: ReadonlyMap<string, Outcome>,
  options: ReproOptions,
): Promise<void> {
  const tables = new Map<string, string>();
  const files: string[] = [];
  const shipped = await shippedModels();
  for (const { name } of selected) {
    const matrix = all.find((one) => one.name === name)!;
    const { kept, written } = await keepOutcomes(options.matrix, matrix, outcomes, shipped);
    files.push(...written);
    tables.set(name, tableOf(matrix, kept, shipped));
  }
  files.push(...(await updatePages(tables, options.update!)));
  options.say(files.length === 0 ? 'The pages say so already.' : `written: ${files.join(', ')}`);
}

/** The table of a page. */
export function tableOf(matrix: Matrix, { rows, runs }: Kept, shipped: Shipped): string {
  const judged = matrix.runs.flatMap((run) => run.rows).map((row) => judge(row, rows.get(row.id)));
  return renderMarkdown(matrix, judged, runs, shipped);
}

function listed(matrices: readonly Matrix[], json: boolean): string {
  const rows = matrices.flatMap(({ name, runs }) =>
    runs.flatMap((run) => run.rows.map((row) => ({ name, run, row }))),
  );
  if (json) {
    return rows
      .map(({ name, run: { id, command, time }, row }) =>
        toLine({ matrix: name, run: id, command, time, ...row }),
      )
      .join('');
  }
  const width = Math.max(...rows.map(({ row }) => row.id.length));
  return matrices
    .flatMap(({ name, title, runs }) => [
      `${name}: ${title}`,
      ...runs.flatMap((run) => [
        `  ${run.id} (${run.time}): pragaura ${run.command.join(' ')}`,
        ...run.rows.map(({ id, dataset, figure }) => `    ${id.padEnd(width)}  ${dataset}: ${figure}`),
      ]),
      '',
    ])
    .join('\n');
}

function summary(judged: readonly Judged[]): string {
  const counts = (['OK', 'OKish', 'FAIL', 'MISSING', 'NEW', null] as const).flatMap((verdict) => {
    const count = judged.filter((one) => one.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict ?? 'not run'}`];
  });
  return `${judged.length} rows: ${counts.join(', ')}`;
}

function record({ row, found, verdict, why }: Judged): string {
  const { id, dataset, figure, expected, ok, okish, printed } = row;
  return toLine({
    schema: 'pragaura.repro-row/1',
    id,
    dataset,
    figure,
    expected,
    ok,
    okish,
    found,
    verdict: verdict ?? 'NOT_RUN',
    why,
    printed,
  });
}
