/** Layers that look at one thing each before the decision, all pure, each with its own switch. */
export { LAYERS, LayerFinding, type LayerName, LayerRecord } from './finding.ts';
export { aboutNamed, inCorpusSpelling } from './identifier-focus.ts';
export { instructionIn } from './poison.ts';
export { presuppositionOf } from './premise.ts';
export { termsInEvidence } from './retrieved.ts';
export { runLayers } from './run.ts';
export { LayerSettings } from './settings.ts';
export { definitionAsked } from './terms.ts';
export type { LayerInput, PremiseVerdict } from './types.ts';
