import {
  type Action,
  byRelevance,
  decide,
  type Explanation,
  generalThresholds,
  HardGateSettings,
  hardGate,
  isFinal,
  LAYERS,
  type LayerName,
  LayerSettings,
  type PlannerFeatures,
  provisionalThresholds,
  spanStands,
  type Thresholds,
} from '../../../router/index.ts';

/** What was measured of one query, whatever any policy makes of it: a line of the results. */
export interface Facts {
  /** Hash of the query with its history and filters. */
  id: string;
  /** Code of the error of a query that could not be decided; then everything else is null or empty. */
  error: string | null;
  /** What no policy changes: the query is empty, too long, no question, or names what does not exist. */
  final: Action | null;
  /** What each layer says that closes when it is asked alone. */
  alone: Partial<Record<LayerName, Action>>;
  /** What the first layer that closes says; null when all are open. */
  layers: Action | null;
  /** U against the provisional thresholds, behind all layers and without any. */
  thresholds: Action | null;
  bare: Action | null;
  /** The rule that holds without a calibration, as it ships, and the plain rule: relevance alone. */
  general: Action | null;
  relevance: Action | null;
  /** Behind all layers, whether a span, and a passage in its place, would be given if its U were low enough. */
  reach: { span: boolean; passage: boolean };
  /** What is done behind all layers where neither is. */
  declined: Action | null;
  /** The paper's hard gate, with the information state in the place of its classifier, and by its numbers alone. */
  hardGate: Action | null;
  numbersGate: Action | null;
  /** The best text that was read, and whether it stands in a passage: without that nothing can be answered. */
  candidate: string | null;
  /** The vocabulary's definition, where that is the answer. */
  defined: string | null;
  answerable: boolean;
  planning: PlannerFeatures | null;
}

/**
 * The layers that a router measures with. What would stop a query before the models read anything is asked afterwards,
 * so that the other layers have something to look at.
 */
export const MEASURING = { identifierExists: { on: false }, vocabulary: { on: false } };
const DEFAULT = LayerSettings.parse({});
const ALONE = LAYERS.map((name) => ({ name, settings: only([name]) }));
const NONE = only([]);

/** Of the bands, the form that closes: as they come they only say something. */
function only(names: readonly LayerName[]): LayerSettings {
  const off = LAYERS.filter((name) => !names.includes(name));
  return LayerSettings.parse({
    bands: { abstain: true },
    ...Object.fromEntries(off.map((name) => [name, { on: false }])),
  });
}

export function failed(id: string, error: string): Facts {
  return {
    id,
    error,
    final: null,
    alone: {},
    layers: null,
    thresholds: null,
    bare: null,
    general: null,
    relevance: null,
    reach: { span: false, passage: false },
    declined: null,
    hardGate: null,
    numbersGate: null,
    candidate: null,
    defined: null,
    answerable: false,
    planning: null,
  };
}

/** What every policy needs to know of a query that a router explained with the layers of `MEASURING`. */
export function factsOf(id: string, { decision, input, candidate, planning }: Explanation): Facts {
  if (input === null) {
    const { action } = decision;
    return {
      ...failed(id, ''),
      error: null,
      final: action,
      thresholds: action,
      bare: action,
      general: action,
      relevance: action,
      declined: action,
    };
  }
  const thresholds = provisionalThresholds();
  const behind = (layers: LayerSettings, bars: Thresholds = thresholds) => decide({ ...input, layers }, bars);
  const alone: Facts['alone'] = {};
  for (const { name, settings } of ALONE) {
    const said = closing(behind(settings));
    if (said !== null) alone[name] = said;
  }
  const whole = behind(DEFAULT);
  return {
    id,
    error: null,
    final: isFinal(whole) ? whole.action : null,
    alone,
    layers: closing(whole),
    thresholds: whole.action,
    bare: behind(NONE).action,
    general: behind(DEFAULT, generalThresholds()).action,
    relevance: byRelevance(input, whole).action,
    ...reachOf((bars) => behind(DEFAULT, bars)),
    hardGate: hardGate(input.state),
    numbersGate: hardGate(input.state, HardGateSettings.parse({ classifier: false })),
    candidate: candidate?.text ?? null,
    defined: whole.definition?.text ?? null,
    answerable: spanStands(input),
    planning,
  };
}

/** Whatever U is. */
const ANY = { ...provisionalThresholds(), tauFor: () => 1 };
const NO_SPAN = { ...provisionalThresholds(), tauFor: () => 0 };
const ANY_PASSAGE = { ...NO_SPAN, passages: { score: NO_SPAN.score, tauFor: () => 1 } };

function reachOf(behind: (bars: Thresholds) => ReturnType<typeof decide>): Pick<Facts, 'reach' | 'declined'> {
  const declined = behind(NO_SPAN).action;
  return {
    reach: { span: behind(ANY).action === 'ANSWER', passage: behind(ANY_PASSAGE).passage !== undefined },
    // A U of exactly 0 is answered at any bar.
    declined: declined === 'ANSWER' ? 'ABSTAIN' : declined,
  };
}

/** What a layer decided; null when none did. */
function closing({ layers }: ReturnType<typeof decide>): Action | null {
  const effect = layers.find(({ state }) => state === 'decided')?.finding?.effect;
  return effect === 'ASK' || effect === 'ABSTAIN' ? effect : null;
}
