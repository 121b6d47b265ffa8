/** The information state of a query: what is known, what is missing, what restricts the answer, and measures over it. */
export { baseForms } from './base-forms.ts';
export { asksOwnCase, type Condition, conditionsIn, openConditions } from './conditions.ts';
export { expectedResolution } from './measures.ts';
export { type Mention, mentionsIn } from './mentions.ts';
export { hasRecoverable, InformationState, type Missing } from './record.ts';
export { informationState } from './state.ts';
export { openTagger } from './tagger.ts';
export { takeReply } from './turns.ts';
export type { Requirement, StateInput, Tagger } from './types.ts';
export { contentStems, isStopWord, shareHeld, wordsIn } from './words.ts';
