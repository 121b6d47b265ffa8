import { canonicalHash } from '../common/index.ts';
import { type Habits, openHabits, openTagger } from '../conversation/index.ts';
import { type IndexBackend, openBackend } from '../corpus/index.ts';
import { loadProfiles } from '../profiles/index.ts';
import { modelNames, openScorers, type Scorers } from '../scorers/index.ts';
import { type ActClassifier, loadActClassifier } from './acts/index.ts';
import { generalThresholds, provisionalThresholds } from './decision/index.ts';
import { openGraph } from './graph/index.ts';
import { openPlanner, priorIn } from './open-planner.ts';
import { checkEmbedder, openRetrieval, rankStage } from './retrieval/index.ts';
import { expiredQuery, explainQuery } from './route.ts';
import {
  cautiousOf,
  checkedBudget,
  checkedHardGate,
  checkedLayers,
  checkedPrior,
  checkedQuery,
  checkOptions,
  shareOf,
} from './router-options.ts';
import type { Parts } from './trail.ts';
import type { Router, RouterOptions, ValidFor } from './types.ts';
import { checkCalibration } from './valid-for.ts';
import { openVocabulary } from './vocabulary/index.ts';

/**
 * Opens an index, the models and the profiles, and gives a router over them; `close()` it when done.
 * Throws INDEX_UNUSABLE (missing, damaged, or made by another embedder), MODEL_UNUSABLE, CONFIGURATION, and what
 * vocabulary, graph, planner and learned defaults throw when they cannot be opened.
 */
export async function openRouter(options: RouterOptions): Promise<Router> {
  checkOptions(options);
  const cautious = cautiousOf(options);
  // Models load on their own threads while the rest is read here.
  const loading = options.scorers
    ? Promise.resolve(options.scorers)
    : openScorers(pick(options, 'threads', 'provider', 'models', 'modelsDir', 'announce'));
  loading.catch(() => {}); // Told below; the rest may still be opening when the models fail.
  const opened: { close(): void | Promise<void> }[] = [];
  const close = async () => {
    // Leaving a process whose threads still load a model can crash it.
    if (options.scorers === undefined) await loading.then((scorers) => scorers.close()).catch(() => {});
    for (const each of opened) await each.close();
  };
  try {
    const index = await openBackend(options.index, options);
    opened.push(index);
    const parts = await openParts(
      { ...options, ...(cautious !== null && { cautious }) },
      index,
      loading,
      (habits) => opened.push(habits),
    );
    const { calibration: _, ...made } = parts.versions;
    const { policy, decider, share, planner } = parts;
    const utilities = decider === 'planner' ? planner!.utilities : null;
    const sampler = options.sampler?.settings ?? null;
    const validFor: ValidFor = { ...made, policy, budget: share, decider, utilities, sampler };
    if (options.thresholds !== undefined) checkCalibration(options.thresholds.validFor, validFor);
    const explain: Router['explain'] = async (query, routeOptions) =>
      explainQuery(parts, checkedQuery(query), routeOptions);
    return {
      versions: parts.versions,
      pending: index.manifest.pending ?? 0,
      validFor,
      cautious,
      documents: index.documents,
      passagesOf: async ({ first, passages }) => {
        const found = await index.passages(Array.from({ length: passages }, (_, i) => first + i));
        return found.map(({ passage }) => passage);
      },
      route: async (query, routeOptions) => (await explain(query, routeOptions)).decision,
      explain,
      classify: async (query, signal) => {
        const [vector] = await parts.scorers.embed([query], { signal });
        return parts.acts.classify(query, vector!);
      },
      rank: async (stage, { query, filters }, k, signal) => {
        const ranked = await rankStage(parts, stage, { query, filters, signal }, k);
        return ranked.map(({ passage, score }) => ({ ...passage, score }));
      },
      health: () => index.health(),
      expired: (query) => expiredQuery(parts, checkedQuery(query)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openParts(
  options: RouterOptions,
  index: IndexBackend,
  loading: Promise<Scorers>,
  own: (habits: Habits) => void,
): Promise<Parts> {
  const { announce } = options;
  announcePending(index, announce);
  const profiles = loadProfiles(options.profiles);
  const budget = checkedBudget({ ...profiles.budget, ...options.budget });
  const layers = checkedLayers(options.layers ?? {});
  const tagger = openTagger();
  const vocabulary = await openVocabulary(options.vocabulary);
  const graph = await openGraph(index);
  const planner = await plannerOf(options);
  const habits = options.defaults ? await openHabits(options.defaults, index.documents, { announce }) : null;
  if (habits !== null) own(habits);
  const retrieval = openRetrieval(index);
  const acts = await loadActClassifier();
  const scorers = await loading;
  checkEmbedder(index.name, index.manifest.embedder, scorers.info);
  const models = modelNames(scorers.info.models);
  return {
    index,
    identifiers: index.identifiers,
    retrieval,
    acts: relabelled(fitting(acts, scorers, announce), options.relabel),
    profiles,
    scorers,
    tagger,
    vocabulary,
    graph,
    habits,
    thresholds:
      options.thresholds ??
      (options.rule === 'provisional'
        ? provisionalThresholds()
        : generalThresholds(options.cautious, models)),
    announce: announce ?? (() => {}),
    layers,
    decider: options.decider ?? 'thresholds',
    planner,
    sampler: options.sampler ?? null,
    hardGate: checkedHardGate(options),
    policy: options.policy ?? 'act',
    budget,
    share: shareOf(budget, habits === null ? 1 : 2),
    versions: {
      index: index.manifest.hash,
      models: { acts: `${acts.name}@${acts.hash}`, ...models },
      arithmetic: scorers.info.arithmetic,
      profiles: profiles.hash,
      layers: canonicalHash(layers),
      vocabulary: vocabulary?.hash ?? null,
      graph: graph?.hash ?? null,
      planner: planner?.model.hash ?? null,
      calibration: options.thresholds?.hash ?? null,
    },
  };
}

/** A router sees the index as it was opened: one that goes on serving has to be opened again. */
function announcePending(
  { name, manifest: { pending, counts } }: IndexBackend,
  announce: RouterOptions['announce'],
): void {
  if (pending === undefined) return;
  announce?.(
    `Vectors of ${name} are still being made (${counts.passages - pending} of ${counts.passages} were there when its ` +
      'words were written): it is searched by words alone. Open it again once "pragaura index" is done.',
  );
}

/** A planner is open where one decides, where a file is named, and where thresholds are about what it says. */
async function plannerOf(options: RouterOptions): Promise<Parts['planner']> {
  const { decider, planner, utilities, thresholds } = options;
  const prior = checkedPrior(options);
  const scored = thresholds?.score.kind === 'planner';
  if (decider !== 'planner' && planner === undefined && !scored) return null;
  const model = await openPlanner(planner);
  return {
    model,
    utilities: utilities ?? model.utilities,
    prior: prior !== null && 'decisions' in prior ? await priorIn(prior.decisions, model) : prior,
  };
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

function pick<T extends object, K extends keyof T>(from: T, ...keys: K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(keys.filter((k) => from[k] !== undefined).map((k) => [k, from[k]])) as Partial<
    Pick<T, K>
  >;
}
