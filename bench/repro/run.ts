import { EXIT } from '../../errors.ts';
import { toLine } from '../../router/streams/index.ts';
import { type ExecuteOptions, execute, type Outcome, outcomeBefore } from './execute.ts';
import { pagesOf, updatePages } from './markers.ts';
import { loadMatrices, type Matrix, type Run } from './matrix.ts';
import { type Judged, renderMarkdown, renderTable } from './render.ts';
import { selectRows } from './select.ts';
import { figureAt, verdictOf } from './verdict.ts';

export interface ReproOptions extends ExecuteOptions {
  /** Folder of matrices. */
  matrix: string;
  only: string | undefined;
  /** Say what there is, run nothing. */
  list: boolean;
  json: boolean;
  /** Folder of the pages whose tables are written; null: none are. */
  update: string | null;
}

/** Runs the rows asked for and gives what goes to standard output, and the exit code. */
export async function runRepro(options: ReproOptions): Promise<{ text: string; exitCode: number }> {
  const all = await loadMatrices(options.matrix);
  const selected = selectRows(all, options.only);
  if (options.list) return { text: listed(selected, options.json), exitCode: EXIT.OK };
  // Before hours of measuring, not after them.
  if (options.update !== null)
    await pagesOf(
      selected.map(({ name }) => name),
      options.update,
    );

  const outcomes = new Map<string, Outcome>();
  // What is quick says first whether anything is wrong.
  const runs = selected
    .flatMap((matrix) => matrix.runs)
    .sort((a, b) => Number(a.time === 'long') - Number(b.time === 'long'));
  for (const run of runs) outcomes.set(run.id, await execute(run, options));

  const judged = selected.flatMap((matrix) =>
    matrix.runs.flatMap((run) => judge(run, outcomes.get(run.id)!)),
  );
  const interrupted = [...outcomes.values()].some(({ kind }) => kind === 'interrupted');
  if (options.update !== null && !interrupted) await update(all, selected, outcomes, options);
  const text = options.json ? judged.map(record).join('') : `${renderTable(judged)}\n\n${summary(judged)}\n`;
  return { text, exitCode: interrupted ? EXIT.INTERRUPTED : exitCodeOf(judged) };
}

function judge(run: Run, outcome: Outcome | null): Judged[] {
  return run.rows.map((row): Judged => {
    if (outcome === null || outcome.kind === 'interrupted')
      return { row, found: null, verdict: null, why: null };
    if (outcome.kind === 'missing') {
      return { row, found: null, verdict: 'MISSING', why: `no ${outcome.files.join(', ')}` };
    }
    if (outcome.kind === 'failed') return { row, found: null, verdict: 'FAIL', why: outcome.why };
    const found = figureAt(outcome.result, row.at);
    return { row, found, verdict: verdictOf(row, found), why: found === null ? 'the result lacks it' : null };
  });
}

function exitCodeOf(judged: readonly Judged[]): number {
  const some = (verdict: Judged['verdict']) => judged.some((one) => one.verdict === verdict);
  if (some('FAIL')) return EXIT.FAILED;
  return some('MISSING') ? EXIT.NO_INPUT : EXIT.OK;
}

/** Whole tables, with what earlier calls found of the rows that were not asked for. */
async function update(
  all: readonly Matrix[],
  selected: readonly Matrix[],
  outcomes: ReadonlyMap<string, Outcome>,
  options: ReproOptions,
): Promise<void> {
  const tables = new Map<string, string>();
  for (const { name } of selected) {
    const matrix = all.find((one) => one.name === name)!;
    const judged: Judged[] = [];
    for (const run of matrix.runs) {
      judged.push(...judge(run, outcomes.get(run.id) ?? (await outcomeBefore(run, options))));
    }
    tables.set(name, renderMarkdown(matrix, judged));
  }
  const written = await updatePages(tables, options.update!);
  options.say(written.length === 0 ? 'The pages say so already.' : `written: ${written.join(', ')}`);
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
