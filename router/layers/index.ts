/** Layers that look at one thing each before the decision, all pure, each with its own switch. */
export { decisionRecords, questionsAbout } from './decision-records.ts';
export { EARLY_LAYERS, LAYERS, LayerFinding, type LayerName, LayerRecord } from './finding.ts';
export { aboutNamed, inCorpusSpelling } from './identifier-focus.ts';
export { instructionIn, leftOut, type Suspect, withoutInstructions } from './poison.ts';
export { planPremises, premisesFrom, presuppositionOf } from './premise.ts';
export { sentenceAt } from './quotations.ts';
export { termsInEvidence } from './retrieved.ts';
export { runLayers } from './run.ts';
export { LayerSettings } from './settings.ts';
export { choices, list, quoted, topics } from './suggestions.ts';
export { definitionEvidence } from './terms.ts';
export type { IdentifierFinding, LayerInput, PremiseVerdict, Retrieved } from './types.ts';
