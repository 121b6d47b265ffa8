/** Answers in the form that the act asks for, made of quotes. */
export {
  type AskedEntry,
  actByForm,
  entryAsked,
  isBeside,
  shareBeside,
  sideEntries,
  sidesAsked,
} from './asked.ts';
export { compose } from './compose.ts';
export { byPlace, entryPlaces, MOST_PLACES, type Place, spanPlaces } from './places.ts';
export { Answer, type Composed, type Quote, type SpanAnswer } from './record.ts';
export type { Source } from './units.ts';
