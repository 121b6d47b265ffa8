/** Answers in the form that the act asks for, made of quotes. */
export {
  type AskedEntry,
  actByForm,
  entryAlone,
  entryAsked,
  formAsked,
  isBeside,
  isOfKind,
  shareBeside,
  sideEntries,
  sidesAsked,
  wordAlone,
} from './asked.ts';
export { compose } from './compose.ts';
export { ANSWERS } from './entries.ts';
export { states } from './forms.ts';
export { byPlace, entryPlaces, MOST_PLACES, type Place, saySame, spanPlaces } from './places.ts';
export { Answer, type Composed, type Quote, type SpanAnswer } from './record.ts';
export type { Source } from './units.ts';
