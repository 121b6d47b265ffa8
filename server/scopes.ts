/** What a caller may be let do; without packages, because the help lists it. */
export const SCOPES = ['decide', 'retrieve', 'score', 'write', 'label', 'metrics'] as const;

/**
 * `decide`: decisions and streams of them; `retrieve`: passages; `score`: speech acts, scores of pairs and verification;
 * `write`: documents into collections and out of them; `label`: say what is right; `metrics`: what Prometheus reads.
 */
export type Scope = (typeof SCOPES)[number];
