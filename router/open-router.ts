import { PragauraError } from '../errors.ts';
import { Budget, loadProfiles } from '../profiles/index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { loadActClassifier } from './acts/index.ts';
import { loadIdentifiers } from './corpus/identifiers/index.ts';
import { openIndex } from './corpus/index.ts';
import type { CorpusIndex } from './corpus/types.ts';
import { provisionalThresholds } from './decision/index.ts';
import { openRetrieval } from './retrieval/index.ts';
import { explainQuery, type Parts } from './route.ts';
import type { Router, RouterOptions } from './types.ts';

/**
 * Opens an index, the models and the profiles, and gives a router over them; `close()` it when done.
 * Throws INDEX_UNUSABLE (missing, damaged, or made by another embedder), MODEL_UNUSABLE, CONFIGURATION.
 */
export async function openRouter(options: RouterOptions): Promise<Router> {
  const profiles = loadProfiles(options.profiles);
  const budget = checkedBudget({ ...profiles.budget, ...options.budget });
  // Models load on their own threads while the index is read here.
  const loading = openScorers({
    ...pick(options, 'threads', 'provider', 'models', 'modelsDir', 'announce'),
  });
  loading.catch(() => {}); // Told below; the index may still be opening when the models fail.
  const index = await openIndex(options.index).catch((error) => {
    loading.then((scorers) => scorers.close()).catch(() => {});
    throw error;
  });
  const scorers = await loading;
  try {
    checkEmbedder(index, scorers);
    const thresholds = options.thresholds ?? provisionalThresholds();
    const parts: Parts = {
      index,
      identifiers: loadIdentifiers(index),
      retrieval: await openRetrieval(index),
      acts: await loadActClassifier(),
      profiles,
      scorers,
      thresholds,
      policy: options.policy ?? 'act',
      budget,
      versions: {
        index: index.manifest.hash,
        models: Object.fromEntries(
          Object.entries(scorers.info.models).map(([job, model]) => [job, `${model.name}@${model.sha256}`]),
        ),
        profiles: profiles.hash,
        calibration: options.thresholds?.hash ?? null,
      },
    };
    return {
      versions: parts.versions,
      route: async (query, routeOptions) => (await explainQuery(parts, query, routeOptions)).decision,
      explain: (query, routeOptions) => explainQuery(parts, query, routeOptions),
      close: () => scorers.close(),
    };
  } catch (error) {
    await scorers.close();
    throw error;
  }
}

function checkEmbedder(index: CorpusIndex, scorers: Scorers): void {
  const made = index.manifest.embedder;
  const here = scorers.info.models.embed;
  if (here?.sha256 === made.sha256) return;
  throw new PragauraError(
    'INDEX_UNUSABLE',
    `The index ${index.dir} was made with the embedder ${made.name}, but ${here?.name} is loaded: their vectors cannot be compared.`,
    { hint: `Run "pragaura index PATH… --out ${index.dir}" again, or choose the embedder that made it.` },
  );
}

function checkedBudget(budget: Budget): Budget {
  const parsed = Budget.safeParse(budget);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new PragauraError('CONFIGURATION', `Budget, ${issue?.path.join('.')}: ${issue?.message}`, {
    hint: 'Every unit of the budget is a whole number of at least 0; ms is a positive number or null.',
    cause: parsed.error,
  });
}

function pick<T extends object, K extends keyof T>(from: T, ...keys: K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(keys.filter((k) => from[k] !== undefined).map((k) => [k, from[k]])) as Partial<
    Pick<T, K>
  >;
}
