import { createHash } from 'node:crypto';
import {
  askedOf,
  codeHash,
  concurrently,
  DECIDES_NOTHING,
  measuringProgress,
} from '../../../calibration/index.ts';
import { abortOf, canonicalJson, PragauraError } from '../../../common/index.ts';
import { openRouter, type Router } from '../../../router/index.ts';
import type { Scorers } from '../../../scorers/index.ts';
import { ResultsFile } from '../../measure/results-file.ts';
import type { DecisionQuery, DecisionSet } from '../types.ts';
import { type Facts, factsOf, failed, MEASURING } from './facts.ts';

export interface MeasureOptions {
  name: string;
  index: string;
  /** File of a vocabulary, and layers in place of those of `MEASURING`. */
  vocabulary?: string | undefined;
  layers?: DecisionSet['layers'];
  scorers: Scorers;
  /** Folder in which facts are kept between runs. */
  out: string;
  say: (line: string) => void;
  /** Aborted: what is in flight is finished and kept, then ABORTED is thrown. */
  signal: AbortSignal;
}

const IN_FLIGHT = 8;

/** Hash over the program that decides and the code that makes facts of it. */
export function measuringCode(): Promise<string> {
  const rooms = ['conversation', 'router', 'profiles', 'scorers', 'bench/decisions/observation'];
  return codeHash(undefined, undefined, rooms, DECIDES_NOTHING);
}

/**
 * The facts of every query, in their order, from the file of earlier runs where the same query was measured with the
 * same index, models and program. Failures are tried again. Throws ABORTED when the signal fired before all was done.
 */
export async function measureFacts(
  queries: readonly DecisionQuery[],
  { name, index, vocabulary, layers, scorers, out, say, signal }: MeasureOptions,
): Promise<Facts[]> {
  const router = await openRouter({
    rule: 'provisional',
    index,
    scorers,
    layers: { ...MEASURING, ...layers },
    vocabulary: vocabulary === undefined ? [] : [vocabulary],
    announce: say,
  });
  const depends = { ...router.validFor, code: await measuringCode() };
  const file = await ResultsFile.open<Facts>(out, `decisions-${name}`, depends);
  try {
    const ids = queries.map(factsId);
    const missing = new Map<string, DecisionQuery>();
    for (const [place, id] of ids.entries()) {
      if (!known(file, id)) missing.set(id, queries[place]!);
    }
    say(`${name}: ${queries.length} queries, ${missing.size} to be measured`);
    const progress = measuringProgress(missing.size);
    await concurrently(
      [...missing],
      IN_FLIGHT,
      async ([id, query], own) => {
        await file.add(await explained(router, id, query, own));
        progress.step();
      },
      { stop: signal, cancel: abortOf(signal) },
    )
      .catch((error) => {
        if (!signal.aborted || !PragauraError.isInstance(error) || error.code !== 'ABORTED') throw error;
      })
      .finally(() => progress.end());
    const facts = ids.flatMap((id) => file.get(id) ?? []);
    if (facts.length < ids.length) throw interrupted(name, ids.length - facts.length);
    return facts;
  } finally {
    await Promise.all([file.close(), router.close()]);
  }
}

/** Names what a measurement depends on, besides index, models and program: never the labels. */
export function factsId(query: DecisionQuery): string {
  return createHash('sha256')
    .update(canonicalJson(askedOf(query)))
    .digest('hex')
    .slice(0, 32);
}

function known(file: ResultsFile<Facts>, id: string): boolean {
  return file.get(id)?.error === null;
}

async function explained(
  router: Router,
  id: string,
  query: DecisionQuery,
  signal: AbortSignal,
): Promise<Facts> {
  try {
    return factsOf(id, await router.explain({ id, ...askedOf(query) }, { signal }));
  } catch (error) {
    // A query that fails is a result of its own kind; anything else is a defect of this program.
    if (signal.aborted || !PragauraError.isInstance(error)) throw error;
    return failed(id, error.code);
  }
}

function interrupted(name: string, left: number): PragauraError {
  return new PragauraError('ABORTED', `Interrupted with ${left} queries of ${name} to be measured.`, {
    hint: 'What was measured is kept. The same command goes on where this one stopped.',
  });
}
