/** Layers that look at one thing each before the decision, all pure, each with its own switch. */

export { collectionOf } from './collections.ts';
export { concealedFor } from './concealed.ts';
export { decisionRecords, questionsAbout } from './decision-records.ts';
export { EARLY_LAYERS, LAYERS, type LayerName, LayerRecord } from './finding.ts';
export { aboutNamed, inCorpusSpelling } from './identifier-focus.ts';
export { addressesMachine, withoutInstructions } from './instructions.ts';
export { sameKind } from './kinds.ts';
export { planPremises, premisesFrom } from './premise.ts';
export { runLayers } from './run.ts';
export { LayerSettings } from './settings.ts';
export { inDocumentsSpelling, sparingNames } from './spelling.ts';
export { choices, similarWords, topics, upToThree } from './suggestions.ts';
export { supportOf, tooFew } from './support.ts';
export { termAsked } from './term-asked.ts';
export type { LayerInput, LayerOutcome, PremiseVerdict, Retrieved } from './types.ts';
export { askedInstead } from './underspecified.ts';
