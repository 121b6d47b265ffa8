/** Everything that has a row or a table, in pieces: each is kept when it is done, and what stops one stops no other. */
import path from 'node:path';
import { z } from 'zod';
import { EXIT, messageOf, PragauraError, writeWholeFile } from '../../common/index.ts';
import { readFigures } from '../figures/figures-file.ts';
import { keepMeasured, runBehind } from '../figures/measure.ts';
import { RESULTS } from '../figures/pages.ts';
import { type Shipped, shippedModels } from '../figures/shipped.ts';
import { readJsonFile } from '../measure/json-file.ts';
import { durationOf } from './duration.ts';
import { type ExecuteOptions, execute, gapOf, type Outcome, secondsOf } from './execute.ts';
import { loadMatrices, type Run } from './matrix.ts';
import { readResults } from './results.ts';
import { keepOutcomes } from './run.ts';

export interface AllOptions extends ExecuteOptions {
  /** Folder of matrices. */
  matrix: string;
  /** Folder of the repository: results and result files are kept in it. */
  root: string;
  /** Names of the tables to measure, of those that one command measures. */
  tables: readonly string[];
}

/** One thing to be run. `seconds`: that it took last time, here or where its figures were made; null: nobody timed it. */
export interface Piece {
  name: string;
  run: Pick<Run, 'id' | 'before' | 'command' | 'result' | 'needs'>;
  seconds: number | null;
  /** Keeps what was found; gives why nothing could be kept, or null. */
  keep: (outcome: Outcome, shipped: Shipped) => Promise<string | null>;
}

/** Of the last time that everything was to be run: how each piece ended. */
const State = z.strictObject({
  schema: z.literal('pragaura.repro-all/1'),
  pieces: z.array(
    z.strictObject({
      name: z.string(),
      /** Null: it is done. */
      gap: z.string().nullable(),
      seconds: z.number().nullable(),
    }),
  ),
});
export type State = z.infer<typeof State>;

const stateFile = (folder: string) => path.join(folder, 'all.json');

/** How the pieces ended when everything was last to be run; null where it never was. Throws CONFIGURATION for a damaged file. */
export async function readState(folder: string): Promise<State | null> {
  try {
    return await readJsonFile(stateFile(folder), State, {
      what: 'state of "pragaura repro --all"',
      hint: 'Remove it: it is written anew by the next "pragaura repro --all".',
    });
  } catch (error) {
    if (PragauraError.isInstance(error) && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** The pieces, those that take least first, those that nobody timed last. Throws what reading matrices and results throws. */
export async function piecesOf(options: AllOptions): Promise<Piece[]> {
  const { matrix: dir, root, tables } = options;
  const pieces: (Piece & { long: boolean })[] = [];
  for (const matrix of await loadMatrices(dir)) {
    const { runs } = await readResults(dir, matrix.name);
    for (const run of matrix.runs) {
      pieces.push({
        name: run.id,
        run,
        long: run.time === 'long',
        seconds: (await secondsOf(run.id, options)) ?? runs.get(run.id)?.seconds ?? null,
        keep: async (outcome, shipped) => {
          await keepOutcomes(dir, matrix, new Map([[run.id, outcome]]), shipped);
          return gapOf(outcome);
        },
      });
    }
  }
  for (const name of tables) {
    const id = `table-${name}`;
    pieces.push({
      name: id,
      run: runBehind(name, id),
      long: true,
      seconds: (await secondsOf(id, options)) ?? (await secondsBefore(root, name)),
      keep: async (outcome, shipped) => {
        if (outcome.kind === 'done') await keepMeasured(name, id, root, shipped, outcome, options);
        return gapOf(outcome);
      },
    });
  }
  const order = ({ long, seconds }: (typeof pieces)[number]) =>
    seconds ?? (long ? Number.POSITIVE_INFINITY : 0);
  return pieces.sort((a, b) => (order(a) === order(b) ? 0 : order(a) - order(b)));
}

async function secondsBefore(root: string, name: string): Promise<number | null> {
  try {
    return (await readFigures(path.join(root, RESULTS, `${name}.json`))).seconds ?? null;
  } catch (error) {
    // Never measured. A damaged one is measured anew.
    if (PragauraError.isInstance(error)) return null;
    throw error;
  }
}

/** What is to be expected of them, in words. */
export function expectation(pieces: readonly Pick<Piece, 'seconds'>[]): string {
  const timed = pieces.flatMap(({ seconds }) => seconds ?? []);
  const untimed = pieces.length - timed.length;
  const sum = timed.reduce((a, b) => a + b, 0);
  return [
    ...(timed.length > 0 ? [`about ${durationOf(sum)} for ${timed.length}`] : []),
    ...(untimed > 0 ? [`${untimed} that nobody timed yet (minutes to hours)`] : []),
  ].join(', and ');
}

/** The pieces with what each took, for whoever wants to know before. */
export function listedPieces(pieces: readonly Piece[]): string {
  const width = Math.max(...pieces.map(({ name }) => name.length));
  const lines = pieces.map(
    ({ name, seconds, run }) =>
      `${name.padEnd(width)}  ${seconds === null ? 'not timed' : durationOf(seconds)}  pragaura ${run.command.slice(0, 2).join(' ')}`,
  );
  return `${[...lines, `${pieces.length} pieces: ${expectation(pieces)}`].join('\n')}\n`;
}

/**
 * Runs every piece that was not run before with the same program, models and data. A piece that fails, is killed or has
 * no data is said and passed over. Gives how they ended, and the exit code. Throws WRITE_FAILED.
 */
export async function runAll(options: AllOptions): Promise<{ state: State; exitCode: number }> {
  const { say, signal, folder } = options;
  const pieces = await piecesOf(options);
  const shipped = await shippedModels();
  say(`${pieces.length} pieces: ${expectation(pieces)}. Ctrl-C stops it, the same command goes on.`);
  const state: State = { schema: 'pragaura.repro-all/1', pieces: [] };
  let failed = false;
  for (const [place, piece] of pieces.entries()) {
    const stopped = signal?.aborted === true;
    if (!stopped)
      say(`[${place + 1}/${pieces.length}] ${piece.name}: ${timeLeft(piece, pieces.slice(place))}`);
    const outcome: Outcome = stopped ? { kind: 'interrupted' } : await execute(piece.run, options);
    const gap = await kept(piece, outcome, shipped);
    if (gap !== null && outcome.kind !== 'interrupted') say(`${piece.name}: ${gap}`);
    failed ||= gap !== null;
    state.pieces.push({
      name: piece.name,
      gap,
      seconds: outcome.kind === 'done' ? Math.round(outcome.seconds) : null,
    });
    await writeWholeFile(
      stateFile(folder),
      `${JSON.stringify(state, null, 1)}\n`,
      'Name another folder with --out.',
    );
  }
  const exitCode = signal?.aborted ? EXIT.INTERRUPTED : failed ? EXIT.FAILED : EXIT.OK;
  return { state, exitCode };
}

async function kept(piece: Piece, outcome: Outcome, shipped: Shipped): Promise<string | null> {
  try {
    return await piece.keep(outcome, shipped);
  } catch (error) {
    // A disk that is full stops everything; a result of another shape is a gap.
    if (PragauraError.isInstance(error) && error.code === 'WRITE_FAILED') throw error;
    return `what it found cannot be kept: ${messageOf(error)}`;
  }
}

function timeLeft({ seconds }: Piece, left: readonly Piece[]): string {
  const own = seconds === null ? 'not timed yet' : `${durationOf(seconds)} last time`;
  return `${own}; left: ${expectation(left)}`;
}
