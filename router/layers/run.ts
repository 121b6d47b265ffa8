import { bands } from './confidence.ts';
import { contradiction } from './contradiction.ts';
import { LAYERS, type LayerFinding, type LayerName, type LayerRecord } from './finding.ts';
import { identifierExists, identifierInEvidence } from './identifiers.ts';
import { poisoned } from './poison.ts';
import { falsePremise } from './premise.ts';
import { coverage, distance, noResults, scope } from './retrieved.ts';
import type { LayerSettings } from './settings.ts';
import { vocabulary } from './terms.ts';
import type { Layer, LayerInput } from './types.ts';

const ALL: Record<LayerName, Layer> = {
  vocabulary,
  noResults,
  identifierExists,
  identifierInEvidence,
  scope,
  distance,
  coverage,
  poisoned,
  falsePremise,
  contradiction,
  bands,
};

/**
 * Asks every layer that is on, in order, until one decides: by closing, or because the vocabulary defines the term that
 * was asked about. Pure. `decided` is null when all are open; `record` has a line for every layer, whatever became of
 * it. `asked`: those that are asked at all, EARLY_LAYERS before the models have run.
 */
export function runLayers(
  input: LayerInput,
  settings: LayerSettings,
  asked: readonly LayerName[] = LAYERS,
): { decided: LayerFinding | null; record: LayerRecord } {
  let decided: LayerFinding | null = null;
  const record: LayerRecord = [];
  for (const layer of LAYERS) {
    if (!settings[layer].on) record.push({ layer, state: 'off', finding: null });
    else if (decided !== null || !asked.includes(layer)) {
      record.push({ layer, state: 'not_reached', finding: null });
    } else {
      const finding = ALL[layer](input, settings);
      if (finding !== null && finding.effect !== 'CAVEAT') decided = finding;
      const state = finding === null ? 'open' : finding.effect === 'CAVEAT' ? 'noted' : 'decided';
      record.push({ layer, state, finding });
    }
  }
  return { decided, record };
}
