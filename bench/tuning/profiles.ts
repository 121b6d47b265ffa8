/** Profiles searched on training questions and tried on sets that they never saw. */
import path from 'node:path';
import { checkFolder, writeParts } from '../../calibration/index.ts';
import { canonicalHash } from '../../common/index.ts';
import { loadProfiles } from '../../profiles/index.ts';
import { modelNames, openScorers } from '../../scorers/index.ts';
import { keepFigures } from '../figures/figures-file.ts';
import { machineLine } from '../measure/machine.ts';
import { type HeldOut, heldOut } from './held-out.ts';
import { type ProfilesReport, renderProfiles } from './render-profiles.ts';
import { search } from './search.ts';
import { DEVELOPMENT, HELD_OUT, loadTuningSet, namesIn } from './sets.ts';
import { widened } from './space.ts';

export interface ProfilesOptions {
  /** Names, separated by commas. */
  development: string;
  heldOut: string;
  data: string;
  out: string;
  cache: string;
  /** Trials of each policy. */
  trials: number;
  /** Questions of each set for development, of each set left out, and of these those that are timed. */
  limit: number;
  heldOutLimit: number;
  timed: number;
  /** File that the figures are kept in for the pages; undefined: none. */
  figures: string | undefined;
}

const SEED = 1;
const TOLERANCE = { granted: 0, spent: 0.05, interval: 0.1 };

/**
 * Searches profiles by act and a baseline, as long each, and tries them on the sets left out; gives the report as text.
 * `out` gets it as JSON, the profiles as folders, and a certificate with its ledgers for each set. Throws USAGE for a set
 * that is none, NOT_FOUND for data that are missing, before any model is loaded; ABORTED when the signal fires.
 */
export async function benchProfiles(
  options: ProfilesOptions,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<string> {
  const { out, trials, limit, timed } = options;
  const names = {
    development: namesIn(DEVELOPMENT, options.development, 'set for development'),
    heldOut: namesIn(HELD_OUT, options.heldOut, 'set that is left out'),
  };
  await checkFolder(out);
  const development = await Promise.all(names.development.map((name) => loadTuningSet(name, options)));
  const held = await Promise.all(names.heldOut.map((name) => loadTuningSet(name, options)));
  const scorers = await openScorers({ announce: say });
  try {
    const told = { seed: SEED, out, say, signal };
    const { spent: tolerance } = TOLERANCE;
    const found = await search(widened(loadProfiles()), development, scorers, {
      ...told,
      trials,
      limit,
      tolerance,
    });
    const tried: HeldOut[] = [];
    for (const set of held) {
      signal.throwIfAborted();
      const given = { ...told, limit: options.heldOutLimit, timed, tolerance: TOLERANCE };
      tried.push(await heldOut(set, found, scorers, given));
    }
    const report: ProfilesReport = {
      development: development.map(({ name, about, questions }) => ({
        set: name,
        about,
        questions: Math.min(limit, questions.length),
      })),
      trials,
      rungs: found.rungs,
      mix: found.mix,
      by: found.by,
      profiles: Object.values({ ...found.act.set.profiles, UNIFORM: found.uniform.set.profiles.UNIFORM }).map(
        ({ act, branches, rerankDepth, nliPairs, contextTokens, genres }) => ({
          act,
          branches,
          rerankDepth,
          nliPairs,
          contextTokens,
          genreWeight: genres.weight,
        }),
      ),
      heldOut: tried,
    };
    if (options.figures !== undefined) {
      await keepFigures(options.figures, {
        models: modelNames(scorers.info.models),
        data: { certificates: canonicalHash(tried.map(({ set, seal }) => ({ set, seal }))) },
        report,
      });
    }
    const record = { schema: 'pragaura.bench-profiles/1', machine: machineLine(), ...report };
    await writeParts(out, [{ name: 'profiles.json', text: `${JSON.stringify(record)}\n` }]);
    return [
      renderProfiles(report),
      machineLine(),
      `written: ${path.join(out, 'profiles.json')}, ${path.join(out, 'profiles-searched')} and a certificate for each set`,
    ].join('\n\n');
  } finally {
    await scorers.close();
  }
}
