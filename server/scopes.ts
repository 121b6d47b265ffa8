/** What a caller may be let do; without packages, because the help lists it. */
export const SCOPES = ['decide', 'retrieve', 'score', 'metrics'] as const;

/**
 * `decide`: decisions and streams of them; `retrieve`: passages; `score`: speech acts, scores of pairs and verification;
 * `metrics`: what Prometheus reads.
 */
export type Scope = (typeof SCOPES)[number];
