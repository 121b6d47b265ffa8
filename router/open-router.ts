import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import { PragauraError } from '../errors.ts';
import { Budget, loadProfiles } from '../profiles/index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { type ActClassifier, loadActClassifier } from './acts/index.ts';
import { Query } from './contracts.ts';
import { loadIdentifiers } from './corpus/identifiers/index.ts';
import { openIndex } from './corpus/index.ts';
import { provisionalThresholds, thresholdsFor } from './decision/index.ts';
import { LayerSettings } from './layers/index.ts';
import { checkEmbedder, openRetrieval } from './retrieval/index.ts';
import { expiredQuery, explainQuery, type Parts } from './route.ts';
import type { Router, RouterOptions, ValidFor } from './types.ts';
import { checkCalibration } from './valid-for.ts';

/**
 * Opens an index, the models and the profiles, and gives a router over them; `close()` it when done.
 * Throws INDEX_UNUSABLE (missing, damaged, or made by another embedder), MODEL_UNUSABLE, CONFIGURATION.
 */
export async function openRouter(options: RouterOptions): Promise<Router> {
  checkOptions(options);
  const profiles = loadProfiles(options.profiles);
  const budget = checkedBudget({ ...profiles.budget, ...options.budget });
  const policy = options.policy ?? 'act';
  const layers = checkedLayers(options.layers ?? {});
  // Models load on their own threads while the index is read here.
  const loading = options.scorers
    ? Promise.resolve(options.scorers)
    : openScorers(pick(options, 'threads', 'provider', 'models', 'modelsDir', 'announce'));
  const release = async (scorers: Scorers) => {
    if (options.scorers === undefined) await scorers.close();
  };
  loading.catch(() => {}); // Told below; the index may still be opening when the models fail.
  const index = await openIndex(options.index).catch(async (error) => {
    // Leaving a process whose threads still load a model can crash it.
    await loading.then(release).catch(() => {});
    throw error;
  });
  const scorers = await loading;
  try {
    checkEmbedder(index, scorers.info);
    const thresholds = options.thresholds ?? provisionalThresholds();
    const acts = await loadActClassifier();
    const parts: Parts = {
      index,
      identifiers: loadIdentifiers(index),
      retrieval: await openRetrieval(index),
      acts: relabelled(fitting(acts, scorers, options.announce), options.relabel),
      profiles,
      scorers,
      thresholds,
      policy,
      budget,
      layers,
      vocabulary: null,
      graph: null,
      versions: {
        index: index.manifest.hash,
        models: {
          acts: `speech-acts@${acts.hash}`,
          ...Object.fromEntries(
            Object.entries(scorers.info.models).map(([job, model]) => [job, `${model.name}@${model.sha256}`]),
          ),
        },
        profiles: profiles.hash,
        layers: createHash('sha256').update(canonicalJson(layers)).digest('hex'),
        vocabulary: null,
        graph: null,
        planner: null,
        calibration: options.thresholds?.hash ?? null,
      },
    };
    const { calibration: _, ...made } = parts.versions;
    const decider = options.decider ?? 'thresholds';
    const validFor: ValidFor = { ...made, policy, budget, decider, utilities: null };
    if (options.thresholds !== undefined) checkCalibration(options.thresholds.validFor, validFor);
    const partsFor = (query: Query): Parts => ({ ...parts, thresholds: thresholdsFor(query, thresholds) });
    const explain: Router['explain'] = async (query, routeOptions) => {
      const checked = checkedQuery(query);
      return explainQuery(partsFor(checked), checked, routeOptions);
    };
    return {
      versions: parts.versions,
      validFor,
      route: async (query, routeOptions) => (await explain(query, routeOptions)).decision,
      explain,
      expired: (query) => {
        const checked = checkedQuery(query);
        return expiredQuery(partsFor(checked), checked);
      },
      close: () => release(scorers),
    };
  } catch (error) {
    await release(scorers);
    throw error;
  }
}

/** The classifier, by words only when the loaded embedder is not the one that it was trained on. */
function fitting(
  acts: ActClassifier,
  scorers: Scorers,
  announce: RouterOptions['announce'],
): Pick<ActClassifier, 'classify'> {
  if (scorers.info.models.embed?.sha256 === acts.embedder.sha256) return acts;
  announce?.(`Speech acts are told by words only: their classifier was trained on ${acts.embedder.name}.`);
  return { classify: (query) => acts.classify(query, null) };
}

function relabelled(
  acts: Pick<ActClassifier, 'classify'>,
  relabel: RouterOptions['relabel'],
): Pick<ActClassifier, 'classify'> {
  if (relabel === undefined) return acts;
  return { classify: (query, vector) => relabel(query, acts.classify(query, vector)) };
}

const OPTIONS: Record<keyof RouterOptions, true> = {
  index: true,
  thresholds: true,
  profiles: true,
  policy: true,
  budget: true,
  vocabulary: true,
  layers: true,
  defaults: true,
  decider: true,
  planner: true,
  utilities: true,
  threads: true,
  provider: true,
  models: true,
  modelsDir: true,
  scorers: true,
  relabel: true,
  announce: true,
};

/** JavaScript callers have no compiler to tell them. */
function checkOptions(options: RouterOptions): void {
  const unknown = Object.keys(options ?? {}).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined) {
    throw new PragauraError('CONFIGURATION', `openRouter has no option "${unknown}".`, {
      hint: `It has: ${Object.keys(OPTIONS).join(', ')}.`,
    });
  }
  if (typeof options?.index !== 'string' || options.index === '') {
    throw new PragauraError('CONFIGURATION', 'openRouter was given no index folder.', {
      hint: "Give it one: openRouter({ index: 'my-index' })",
    });
  }
}

function checkedQuery(query: Query): Query {
  const parsed = Query.safeParse(query);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? ` ${issue.path.join('.')}` : '';
  throw new PragauraError('INVALID_INPUT', `The query does not fit,${where}: ${issue?.message}`, {
    hint: "A query is at least { id: 'q1', query: 'Who wrote it?' }.",
    cause: parsed.error,
  });
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

function checkedLayers(layers: unknown): LayerSettings {
  const parsed = LayerSettings.safeParse(layers);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? `, ${issue.path.join('.')}` : '';
  throw new PragauraError('CONFIGURATION', `Layers${where}: ${issue?.message}`, {
    hint: 'Layers are an object such as {"distance": {"on": false}, "coverage": {"known": 0.3}}.',
    cause: parsed.error,
  });
}

function pick<T extends object, K extends keyof T>(from: T, ...keys: K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(keys.filter((k) => from[k] !== undefined).map((k) => [k, from[k]])) as Partial<
    Pick<T, K>
  >;
}
