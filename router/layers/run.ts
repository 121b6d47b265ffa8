import { bands } from './confidence.ts';
import { contradiction } from './contradiction.ts';
import { LAYERS, type LayerFinding, type LayerName, type LayerRecord } from './finding.ts';
import { identifierExists, identifierInEvidence } from './identifiers.ts';
import { poisoned } from './poison.ts';
import { falsePremise } from './premise.ts';
import { coverage, distance, noResults, scope } from './retrieved.ts';
import type { LayerSettings } from './settings.ts';
import { spelling } from './spelling.ts';
import { support } from './support.ts';
import { vocabulary } from './terms.ts';
import type { Layer, LayerInput, LayerOutcome } from './types.ts';
import { underspecified } from './underspecified.ts';

const ALL: Record<LayerName, Layer> = {
  vocabulary,
  spelling,
  noResults,
  identifierExists,
  identifierInEvidence,
  poisoned,
  underspecified,
  coverage,
  scope,
  distance,
  falsePremise,
  contradiction,
  support,
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
): { decided: LayerOutcome | null; record: LayerRecord } {
  let decided: LayerOutcome | null = null;
  const record: LayerRecord = [];
  for (const layer of LAYERS) {
    if (!settings[layer].on) record.push({ layer, state: 'off', finding: null });
    else if (decided !== null || !asked.includes(layer)) {
      record.push({ layer, state: 'not_reached', finding: null });
    } else {
      const said = ALL[layer](input, settings);
      if (said !== null && said.effect !== 'CAVEAT') decided = said;
      const state = said === null ? 'open' : said.effect === 'CAVEAT' ? 'noted' : 'decided';
      record.push({ layer, state, finding: said === null ? null : findingOf(said) });
    }
  }
  return { decided, record };
}

function findingOf({ definition: _, ...finding }: LayerOutcome): LayerFinding {
  return finding;
}
