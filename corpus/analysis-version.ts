/**
 * Raised by whoever changes what postings, cues or identifiers make of a text. Queries are analysed by the code that
 * runs, so an index that was analysed by other code is refused.
 */
export const ANALYSIS_VERSION = 4;
