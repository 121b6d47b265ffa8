/** What is read of vocabularies by default. Imports nothing: the help of every command that takes one tells it. */
export const DEFAULTS = {
  languages: ['en'],
  maxBytes: 256 * 1024 * 1024,
  maxConcepts: 500_000,
};
