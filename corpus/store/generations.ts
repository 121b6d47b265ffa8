/** Which generations of an index were current when, how many are kept, and the way back to one of them. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PragauraError } from '../../common/index.ts';
import { isSystemError, reasonOf, replaceFile } from './files.ts';
import { currentName, sweep, writing } from './folder.ts';
import { GENERATION, GENERATIONS, manifestPath } from './layout.ts';
import { lock } from './lock.ts';
import { ManifestSchema } from './manifest.ts';
import { pointAt } from './write-generation.ts';

const Turn = z.strictObject({
  generation: z.string().regex(GENERATION),
  /** Hash of the index. */
  hash: z.string(),
  /** Moment from which on it was the index, ISO 8601. */
  from: z.iso.datetime(),
  why: z.enum(['built', 'rolled back']),
});
type Turn = z.infer<typeof Turn>;

const History = z.strictObject({
  schema: z.literal('pragaura.generations/1'),
  /** Generations that are kept beside the current one. */
  keep: z.number().int().min(0),
  /** Oldest first; the same generation may have been current twice. */
  turns: z.array(Turn),
});
type History = z.infer<typeof History>;

/** A generation that is there. */
export interface GenerationState {
  generation: string;
  hash: string;
  documents: number;
  passages: number;
  /** When it became the index, last. */
  from: string;
  current: boolean;
}

/** Of a folder that never kept any; one that was written before there was a history has the current generation alone. */
const NONE: History = { schema: 'pragaura.generations/1', keep: 0, turns: [] };

/** Throws INDEX_UNUSABLE for a history that cannot be read. */
export function historyOf(dir: string): History {
  let text: string;
  try {
    text = readFileSync(join(dir, GENERATIONS), 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return NONE;
    throw damaged(dir, reasonOf(error), error);
  }
  try {
    return History.parse(JSON.parse(text));
  } catch (error) {
    throw damaged(dir, 'it is not what was written', error);
  }
}

function damaged(dir: string, why: string, cause: unknown): PragauraError {
  return new PragauraError('INDEX_UNUSABLE', `${join(dir, GENERATIONS)} cannot be read: ${why}.`, {
    hint: 'Without that file only the current generation is known: remove it to go on with that one.',
    cause,
  });
}

const textOf = (history: History) => Buffer.from(`${JSON.stringify(history, null, 1)}\n`);

/** Of the generations of a history those that stay: the current one and the latest others, so many as are kept. */
function kept({ keep, turns }: History, current: string | undefined): string[] {
  const others = [...turns].reverse().map(({ generation }) => generation);
  const latest = [...new Set(others)].filter((generation) => generation !== current).slice(0, keep);
  return current === undefined ? latest : [current, ...latest];
}

/**
 * Notes that a generation is the index from now on, how many others are kept (default: as before), and removes those that
 * are not. The folder is locked by the caller.
 */
export function noteGeneration(
  dir: string,
  turn: Pick<Turn, 'generation' | 'hash' | 'why'>,
  keep: number | undefined,
  now: Date,
): void {
  sweep(dir, noted(dir, turn, keep, now));
}

/** Notes it, removes nothing, and gives the generations that stay. */
function noted(
  dir: string,
  turn: Pick<Turn, 'generation' | 'hash' | 'why'>,
  keep: number | undefined,
  now: Date,
): string[] {
  const before = historyOf(dir);
  const latest = before.turns.at(-1);
  const same = latest?.generation === turn.generation;
  const turns = same ? before.turns : [...before.turns, { ...turn, from: now.toISOString() }];
  const history = { ...before, keep: keep ?? before.keep, turns };
  const stay = kept(history, turn.generation);
  // Those between stay, whether or not their generation does: what was the index then is not guessed at.
  const first = turns.findIndex(({ generation }) => stay.includes(generation));
  const left = { ...history, turns: turns.slice(Math.max(0, first)) };
  // Without a history there is nothing to keep one for.
  if (left.keep > 0 || existsSync(join(dir, GENERATIONS)))
    writing(dir, () => replaceFile(dir, GENERATIONS, textOf(left)));
  return stay;
}

/** Removes what a build that crashed left, and generations that are not kept. The folder is locked by the caller. */
export function sweepOthers(dir: string): void {
  sweep(dir, kept(historyOf(dir), currentName(dir)));
}

/**
 * Before a build: notes the generation that is there, where a history is kept or is to be and does not have it yet. One without
 * its vectors is none to go back to. Removes nothing: what is about to become the index may be there. The folder is locked by the
 * caller.
 */
export function beginHistory(dir: string, keep: number | undefined): void {
  const current = currentName(dir);
  const before = historyOf(dir);
  const wanted = keep ?? before.keep;
  if (current === undefined || (wanted === 0 && before.turns.length === 0)) return;
  const folder = join(dir, current);
  const { hash, pending } = manifestIn(dir, folder);
  if (pending !== undefined || before.turns.at(-1)?.generation === current) return;
  const { mtime } = statSync(manifestPath(folder));
  noted(dir, { generation: current, hash, why: 'built' }, keep, mtime);
}

/** What is there, the current generation first, then the latest. Throws INDEX_UNUSABLE. */
export function generationsOf(dir: string): GenerationState[] {
  const current = currentIn(dir);
  const history = historyOf(dir);
  return kept(history, current).flatMap((generation) => {
    const folder = join(dir, generation);
    if (!existsSync(folder)) return [];
    const { hash, counts } = manifestIn(dir, folder);
    const turn = history.turns.findLast((each) => each.generation === generation);
    return {
      generation,
      hash,
      documents: counts.documents,
      passages: counts.passages,
      from: turn?.from ?? statSync(manifestPath(folder)).mtime.toISOString(),
      current: generation === current,
    };
  });
}

function currentIn(dir: string): string {
  const current = currentName(dir);
  if (current !== undefined) return current;
  throw new PragauraError('INDEX_UNUSABLE', `There is no index at ${dir}.`, {
    hint: `Build it: pragaura index PATH… --out ${dir}`,
  });
}

function manifestIn(dir: string, folder: string) {
  try {
    return ManifestSchema.parse(JSON.parse(readFileSync(manifestPath(folder), 'utf8')));
  } catch (error) {
    throw new PragauraError(
      'INDEX_UNUSABLE',
      `${dir} is damaged: the manifest of ${folder} cannot be read.`,
      {
        hint: 'Another generation may be sound: "pragaura knowledge generations" names them.',
        cause: error,
      },
    );
  }
}

/**
 * The generation that a name, the beginning of a hash (6 figures at least), a date or a moment means: of these the one that
 * was the index then. One that is staged goes by its name alone. Throws NOT_FOUND where there is none, and INDEX_UNUSABLE.
 */
export function generationAsOf(dir: string, asOf: string): string {
  if (GENERATION.test(asOf) && existsSync(manifestPath(join(dir, asOf)))) return asOf;
  const there = generationsOf(dir);
  const named = there.find(({ hash }) => /^[0-9a-f]{6,}$/.test(asOf) && hash.startsWith(asOf));
  if (named !== undefined) return named.generation;
  const moment = new Date(asOf);
  const { turns } = historyOf(dir);
  if (GENERATION.test(asOf) || /^[0-9a-f]{6,}$/.test(asOf) || Number.isNaN(moment.getTime())) {
    throw notThere(there, `There is no generation ${JSON.stringify(asOf)}.`);
  }
  // A day is over when its last second is.
  const at = /^\d{4}-\d{2}-\d{2}$/.test(asOf) ? moment.getTime() + 86_400_000 - 1 : moment.getTime();
  const then = turns.findLast(({ from }) => Date.parse(from) <= at);
  const alone =
    turns.length === 0 && there.length === 1 && Date.parse(there[0]!.from) <= at ? there[0] : undefined;
  const found = then ?? alone;
  if (found !== undefined && there.some(({ generation }) => generation === found.generation)) {
    return found.generation;
  }
  throw notThere(there, `The generation that was the index at ${asOf} is not kept.`);
}

function notThere(there: readonly GenerationState[], problem: string): PragauraError {
  const names = there.map(({ generation, from }) => `${generation} (since ${from})`);
  return new PragauraError('NOT_FOUND', problem, {
    hint: `There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ') || 'none'}. "pragaura index --keep-generations N" keeps more.`,
  });
}

/**
 * Makes a staged generation the index, from one moment to the next, and keeps at least the one before. Throws CONFLICT where
 * another one than `base` (a hash) is the index by now, or the staged one is not there any more; INDEX_UNUSABLE, INDEX_LOCKED
 * and WRITE_FAILED.
 */
export function promote(dir: string, generation: string, base: string, now = new Date()): void {
  locked(dir, (current) => {
    const folder = join(dir, generation);
    const moved = manifestIn(dir, join(dir, current)).hash !== base;
    if (moved || !existsSync(manifestPath(folder))) {
      throw new PragauraError('CONFLICT', `The index at ${dir} was changed meanwhile.`, {
        hint: 'The same command takes it from there.',
      });
    }
    const keep = Math.max(1, historyOf(dir).keep);
    const { hash } = manifestIn(dir, folder);
    beginHistory(dir, keep);
    writing(dir, () => pointAt(dir, generation));
    noteGeneration(dir, { generation, hash, why: 'built' }, keep, now);
  });
}

/** Removes a generation that was staged and is not wanted; one that is the index, or is kept, stays. Throws as `promote`. */
export function discardStaged(dir: string): void {
  locked(dir, () => sweepOthers(dir));
}

/** Sets how many generations are kept beside the current one, from now on. Throws as `rollBack`. */
export function keepGenerations(dir: string, keep: number, now = new Date()): void {
  locked(dir, (current) => {
    const { hash } = manifestIn(dir, join(dir, current));
    noteGeneration(dir, { generation: current, hash, why: 'built' }, keep, now);
  });
}

/**
 * Makes another generation the index, from one moment to the next; default the one before. Whoever has the index open goes on
 * with what he has, servers take it up by themselves. Gives both. Throws NOT_FOUND, INDEX_UNUSABLE, INDEX_LOCKED and
 * WRITE_FAILED.
 */
export function rollBack(
  dir: string,
  to: string | undefined,
  now = new Date(),
): { from: GenerationState; to: GenerationState } {
  return locked(dir, () => {
    const there = generationsOf(dir);
    const [from, before] = there;
    const name = to === undefined ? before?.generation : generationAsOf(dir, to);
    const target = there.find(({ generation }) => generation === name);
    if (from === undefined || target === undefined) throw notThere(there, 'There is no generation before.');
    if (target.current) throw notThere(there, `${target.generation} is the index already.`);
    const { generation, hash } = target;
    // The current one has to be in the history, or it would be swept away with the first step back.
    beginHistory(dir, undefined);
    writing(dir, () => pointAt(dir, generation));
    noteGeneration(dir, { generation, hash, why: 'rolled back' }, undefined, now);
    return { from: { ...from, current: false }, to: { ...target, current: true, from: now.toISOString() } };
  });
}

function locked<T>(dir: string, work: (current: string) => T): T {
  const current = currentIn(dir);
  const release = writing(dir, () => lock(dir));
  try {
    return work(current);
  } finally {
    release();
  }
}
